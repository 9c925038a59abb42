//! Files that are either old or new, never half.

use std::{fs, io, io::Write, path::Path};

/// Writes `bytes` to `path` through a temporary file beside it, synced and renamed over it. Folders are made. With
/// `mode` the file gets those permission bits, else those of the file it replaces.
pub fn write(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    put(path, bytes, mode, true)
}

/// The same without waiting for the disk: whole for every reader, but perhaps still the old file after a power cut.
pub fn replace(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    put(path, bytes, mode, false)
}

/// Makes a file that isn't there yet, whole from the beginning. False: there is one, which stays as it is.
pub fn create(path: &Path, bytes: &[u8], mode: u32) -> io::Result<bool> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".panto-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    permit(file.as_file(), path, Some(mode))?;
    file.as_file().sync_data()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

fn put(path: &Path, bytes: &[u8], mode: Option<u32>, sync: bool) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".panto-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    permit(file.as_file(), path, mode)?;
    if sync {
        file.as_file().sync_data()?;
    }
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(unix)]
fn permit(file: &fs::File, path: &Path, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let old = || fs::metadata(path).ok().map(|m| m.permissions().mode() & 0o7777);
    file.set_permissions(fs::Permissions::from_mode(mode.or_else(old).unwrap_or(0o644)))
}

#[cfg(not(unix))]
fn permit(_: &fs::File, _: &Path, _: Option<u32>) -> io::Result<()> {
    Ok(())
}
