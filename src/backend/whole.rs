//! An item with all that its call has put out: what the model was told is cut, the whole lies in a spill file.

use super::{BackendError, Code, Item, ItemBody, Reply, live::Live, obey::Answered, runtime::Runtime};
use crate::conversation::Part;
use serde_json::Value;
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::oneshot;

/// Bytes of a spill file that are read.
const MOST: u64 = 64 << 20;

impl Runtime {
    pub fn read_item(&self, item_id: &str, reply: oneshot::Sender<Answered>) {
        let live = self.live.as_ref().map(Live::item).map(Arc::new);
        let found = self.open.items.iter().chain(&live).rev().find(|item| item.id == item_id);
        let Some(item) = found.map(|item| self.outputs.fill(item)) else {
            let why = format!("there is no item {item_id} in this session");
            let _ = reply.send(Err(BackendError::new(Code::NotFound, why)));
            return;
        };
        let folder = self.shared.cap().spill;
        tokio::task::spawn_blocking(move || {
            let _ = reply.send(Ok(Reply::Item(whole(item, &folder))));
        });
    }
}

fn whole(mut item: Arc<Item>, folder: &Path) -> Arc<Item> {
    let Some(path) = spilled(&item, folder) else { return item };
    let Ok(text) = read(&path) else { return item };
    if let ItemBody::Tool { content, .. } = &mut Arc::make_mut(&mut item).body {
        content.retain(|part| !matches!(part, Part::Text { .. }));
        content.insert(0, Part::text(text));
    }
    item
}

/// The file that holds the whole output. Details are a tool's word: nothing but the program's own files is read.
fn spilled(item: &Item, folder: &Path) -> Option<PathBuf> {
    let ItemBody::Tool { details: Some(details), .. } = &item.body else { return None };
    let path = ["full_output", "spill"].iter().find_map(|key| details.get(key).and_then(Value::as_str))?;
    let path = Path::new(path).canonicalize().ok()?;
    path.starts_with(folder.canonicalize().ok()?).then_some(path)
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut bytes = vec![];
    File::open(path)?.take(MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
