//! Ways out of the workspace, none of which leads anywhere.

use super::world::each;
use std::fs;

/// Commands that would change `elsewhere`, or make a file of it writable.
const WAYS: [(&str, &str); 24] = [
    ("absolute", "echo x > $AWAY/victim"),
    ("new file", "echo x > $AWAY/new"),
    ("dots", "echo x > ../elsewhere/victim"),
    ("own link", "ln -s $AWAY own; echo x > own/victim"),
    ("old link", "echo x > link/victim"),
    ("hard link", "ln $AWAY/victim hard && echo x >> hard"),
    ("move out", "echo x > a && mv a $AWAY/moved"),
    ("move in", "mv $AWAY/victim stolen"),
    ("delete", "rm -f $AWAY/victim"),
    ("own session", "setsid --wait sh -c 'echo x > $AWAY/victim'"),
    ("folder out", "mkdir m; mv m ../elsewhere/m; echo x > ../elsewhere/m/y"),
    ("working directory of /proc", "echo x > /proc/self/cwd/../elsewhere/victim"),
    ("root of /proc", "echo x > /proc/self/root$AWAY/victim"),
    ("root of the parent", "echo x > /proc/$PPID/root$AWAY/victim"),
    ("nested shells", "sh -c \"sh -c 'echo x > \\$AWAY/victim'\""),
    ("truncation", "python3 -c 'import os; os.truncate(os.environ[\"AWAY\"] + \"/victim\", 0)'"),
    ("unmounting", "umount -l . ; umount -l $AWAY; umount -l /; echo x > $AWAY/victim"),
    ("remounting", "mount -o remount,rw,bind / ; mount -o remount,rw / ; echo x > $AWAY/victim"),
    ("bind mount", "mkdir b; mount --bind $AWAY b; echo x > b/victim"),
    (
        "namespaces in it",
        "unshare -Urm sh -c 'mkdir b; mount --bind $AWAY b; echo x > b/victim; mount -o remount,rw,bind /; echo x > $AWAY/victim'",
    ),
    (
        "namespaces of others",
        "nsenter -t $PPID -m sh -c 'echo x > $AWAY/victim'; nsenter -t 1 -m sh -c 'echo x > $AWAY/victim'",
    ),
    ("another root", "unshare -Ur chroot / sh -c 'echo x > $AWAY/victim'; chroot / sh -c 'echo x > $AWAY/victim'"),
    ("mknod", "mknod disk b 254 0 && echo MADE > $AWAY/victim; mknod disk c 1 1 && test -c disk && echo MADE"),
    ("swapped folder", "mkdir s; (cd s; rmdir ../s; ln -s $AWAY ../s); echo x > s/victim"),
];

#[test]
fn no_way_leads_to_a_file_outside() {
    each(|w| {
        std::os::unix::fs::symlink(w.at("elsewhere"), w.at("work/link")).expect("a link");
        for (name, line) in WAYS {
            let ran = w.run(&format!("echo BEGUN; {line}"));
            assert!(ran.output.contains("BEGUN"), "{name}: {}", ran.output);
            assert!(!ran.output.contains("MADE"), "{name}: {}", ran.output);
            let left: Vec<_> =
                fs::read_dir(w.at("elsewhere")).expect("a folder").flatten().map(|e| e.file_name()).collect();
            assert_eq!(
                (left, w.read("elsewhere/victim")),
                (vec!["victim".into()], "PRECIOUS".into()),
                "{name}: {}",
                ran.output
            );
        }
    });
}
