//! Brings luarocks' own Lua files into the tree. From then on everything else is luarocks.
//!
//! The first of these that is there wins: the tree itself; what PANTO_LUAROCKS names; the pinned release, from the
//! configured server or from where luarocks publishes it, checked against its pin; a luarocks that the system has.

use super::luarocks::download;
use super::{RocksError, Setup, pins};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file of luarocks: its path below `luarocks/`, its content.
type File = (PathBuf, Vec<u8>);

/// Makes sure that the tree holds luarocks. Without `network` nothing is fetched.
pub fn ensure(setup: &Setup, network: bool) -> Result<(), RocksError> {
    let place = setup.tree.share().join("luarocks");
    if place.join("core/cfg.lua").is_file() {
        return Ok(());
    }
    let files = find(setup, network)?;
    install(&files, &place)?;
    compat(setup)
}

fn find(setup: &Setup, network: bool) -> Result<Vec<File>, RocksError> {
    if let Some(given) = &setup.luarocks {
        return given_files(given);
    }
    let fetched = if network { fetch(setup) } else { Err(RocksError::NoLuarocks("nothing was fetched".into())) };
    match (fetched, system()) {
        (Ok(files), _) => Ok(files),
        (Err(error @ RocksError::Checksum { .. }), _) => Err(error),
        (Err(_), Some(folder)) => folder_files(&folder),
        (Err(error), None) => Err(RocksError::NoLuarocks(error.to_string())),
    }
}

fn given_files(given: &Path) -> Result<Vec<File>, RocksError> {
    if given.is_file() {
        let bytes = fs::read(given).map_err(RocksError::file("cannot read", given))?;
        return rock_files(&bytes, &given.display().to_string());
    }
    let folder = given.join("luarocks");
    if folder.join("core/cfg.lua").is_file() {
        return folder_files(&folder);
    }
    let problem = format!("PANTO_LUAROCKS is {}, but luarocks/core/cfg.lua is not in there", given.display());
    Err(RocksError::NoLuarocks(problem))
}

fn fetch(setup: &Setup) -> Result<Vec<File>, RocksError> {
    let Some(server) = &setup.server else {
        let archive = download(pins::LUAROCKS_ARCHIVE)?;
        check(pins::LUAROCKS_ARCHIVE, &archive, pins::LUAROCKS_ARCHIVE_SHA256)?;
        return archive_files(&archive, pins::LUAROCKS_ARCHIVE);
    };
    let rock = format!("{}/{}", server.trim_end_matches('/'), pins::LUAROCKS_ROCK);
    let bytes = match rock.contains("://") {
        true => download(&rock)?,
        false => fs::read(&rock).map_err(RocksError::file("cannot read", Path::new(&rock)))?,
    };
    pins::LUAROCKS_ROCK_SHA256.map_or(Ok(()), |wanted| check(&rock, &bytes, wanted))?;
    rock_files(&bytes, &rock)
}

fn check(what: &str, bytes: &[u8], wanted: &str) -> Result<(), RocksError> {
    let found: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
    match found == wanted {
        true => Ok(()),
        false => Err(RocksError::Checksum { what: what.into(), wanted: wanted.into(), found }),
    }
}

/// A luarocks of the system that is new enough; it is the same for every Lua.
fn system() -> Option<PathBuf> {
    let prefixes = ["/usr/local/share/lua", "/usr/share/lua", "/opt/homebrew/share/lua"];
    let folders = prefixes.iter().flat_map(|prefix| {
        ["5.4", "5.3", "5.2", "5.1", "5.5"].map(|series| Path::new(prefix).join(series).join("luarocks"))
    });
    folders.into_iter().find(|folder| version(folder).is_some_and(|v| v >= pins::LUAROCKS_OLDEST))
}

fn version(folder: &Path) -> Option<(u32, u32)> {
    let text = fs::read_to_string(folder.join("core/cfg.lua")).ok()?;
    let (_, rest) = text.split_once("program_version = \"")?;
    super::battery::version(rest.split('"').next()?)
}

/// What may be taken from a place: Lua files, but not the one into which an installation writes its own paths.
fn wanted(path: &Path) -> bool {
    let plain = path.components().all(|c| matches!(c, std::path::Component::Normal(_)));
    plain && path.extension().is_some_and(|e| e == "lua") && path != Path::new("core/hardcoded.lua")
}

fn folder_files(folder: &Path) -> Result<Vec<File>, RocksError> {
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(folder).standard_filters(false).follow_links(true).build().flatten() {
        let Ok(path) = entry.path().strip_prefix(folder) else { continue };
        if wanted(path) && entry.path().is_file() {
            let bytes = fs::read(entry.path()).map_err(RocksError::file("cannot read", entry.path()))?;
            files.push((path.to_owned(), bytes));
        }
    }
    Ok(files)
}

/// A rock is a zip file; wherever in it luarocks lies.
fn rock_files(bytes: &[u8], what: &str) -> Result<Vec<File>, RocksError> {
    let broken = |e: &dyn std::fmt::Display| RocksError::Download(format!("{what} is not a rock: {e}"));
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(|e| broken(&e))?;
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|e| broken(&e))?;
        let Some(path) = entry.enclosed_name() else { continue };
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|e| broken(&e))?;
        files.push((path, content));
    }
    below_luarocks(files, what)
}

fn archive_files(bytes: &[u8], what: &str) -> Result<Vec<File>, RocksError> {
    let broken = |e: io::Error| RocksError::Download(format!("{what} is not a tar file: {e}"));
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let mut files = Vec::new();
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(broken)?;
        files.push((path, content));
    }
    below_luarocks(files, what)
}

/// Of all files those of luarocks, by their path in it.
fn below_luarocks(files: Vec<File>, what: &str) -> Result<Vec<File>, RocksError> {
    let root = files.iter().find_map(|(path, _)| {
        let root = path.parent()?.parent()?;
        (path.ends_with("luarocks/core/cfg.lua")).then(|| root.to_owned())
    });
    let root = root.ok_or_else(|| RocksError::NoLuarocks(format!("{what} holds no luarocks/core/cfg.lua")))?;
    let own = files.into_iter().filter_map(|(path, content)| {
        let path = path.strip_prefix(&root).ok()?.to_owned();
        wanted(&path).then_some((path, content))
    });
    Ok(own.collect())
}

/// Writes all beside the place and moves it there, so that half a luarocks is never seen.
fn install(files: &[File], place: &Path) -> Result<(), RocksError> {
    let parent = place.parent().unwrap_or(place);
    let staging = tempfile::Builder::new().prefix(".luarocks-").tempdir_in(parent);
    let staging = staging.map_err(RocksError::file("cannot write to", parent))?;
    for (path, content) in files {
        let path = staging.path().join(path);
        let written = fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| fs::write(&path, content));
        written.map_err(RocksError::file("cannot write", &path))?;
    }
    let staging = staging.keep();
    fs::rename(&staging, place).or_else(|error| {
        let _ = fs::remove_dir_all(&staging);
        // Another panto has been faster.
        if place.join("core/cfg.lua").is_file() { Ok(()) } else { Err(RocksError::file("cannot write", place)(error)) }
    })
}

/// `compat53` has nothing to add to a Lua 5.4, but modules for many versions require it.
fn compat(setup: &Setup) -> Result<(), RocksError> {
    for name in ["compat53/init.lua", "compat53/module.lua"] {
        let path = setup.tree.share().join(name);
        if !path.exists() {
            let written = crate::util::atomic::replace(&path, b"return _G\n", None);
            written.map_err(RocksError::file("cannot write", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[File]) -> Vec<String> {
        files.iter().map(|(path, _)| path.display().to_string()).collect()
    }

    #[test]
    fn r43_the_release_is_checked_against_its_pin() {
        let error = check("luarocks.tar.gz", b"something else", pins::LUAROCKS_ARCHIVE_SHA256).unwrap_err();
        assert!(error.to_string().contains(pins::LUAROCKS_ARCHIVE_SHA256), "{error}");
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(check("nothing", b"", empty).is_ok());
    }

    #[test]
    fn luarocks_is_found_wherever_it_lies_in_an_archive() {
        let file = |path: &str| (PathBuf::from(path), b"return 1".to_vec());
        let files = ["l/readme.md", "l/src/luarocks/core/cfg.lua", "l/src/luarocks/cmd.lua", "l/spec/x.lua"].map(file);
        let own = below_luarocks(files.into(), "the archive").unwrap();
        assert_eq!(names(&own), ["core/cfg.lua", "cmd.lua"]);
        let error = below_luarocks(vec![file("src/x.lua")], "the archive").unwrap_err();
        assert!(error.to_string().contains("the archive holds no luarocks"), "{error}");
    }

    #[test]
    fn paths_that_lead_out_and_the_systems_own_settings_are_left_out() {
        for path in ["../x.lua", "/etc/x.lua", "core/hardcoded.lua", "x.so"] {
            assert!(!wanted(Path::new(path)), "{path}");
        }
        assert!(wanted(Path::new("cmd/install.lua")));
    }
}
