//! What stands in the transcript's place: the session itself, a child, or up to four side by side.

use crate::tui::app::App;
use ratatui::layout::Rect;

/// Children that are side by side, at the most.
pub const MOST: usize = 4;
/// Columns that three beside one another need.
const THREE: u16 = 150;
/// Columns that two beside one another need.
const TWO: u16 = 60;

/// One transcript on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// None: the session itself.
    pub child: Option<String>,
    /// Whose it is, in a line; the session's own has none.
    pub head: Rect,
    pub body: Rect,
}

impl Tile {
    fn of(child: Option<&str>, area: Rect) -> Tile {
        let tall = u16::from(child.is_some()).min(area.height);
        let head = Rect { height: tall, ..area };
        let body = Rect { y: area.y + tall, height: area.height - tall, ..area };
        Tile { child: child.map(str::to_owned), head, body }
    }

    /// Words do not touch the line at its left.
    fn beside_a_line(mut self, line: bool) -> Tile {
        let blank = u16::from(line).min(self.body.width);
        (self.body.x, self.body.width) = (self.body.x + blank, self.body.width - blank);
        self
    }
}

/// The transcripts that are to be seen in an area.
pub fn shown(app: &App, area: Rect) -> Vec<Tile> {
    let children = &app.children;
    match (&children.focus, children.tiled.as_slice()) {
        (focus, []) => vec![Tile::of(focus.as_deref(), area)],
        (Some(focus), _) if children.zoomed => vec![Tile::of(Some(focus), area)],
        (_, tiled) => {
            let cells = grid(area, tiled.len().min(MOST));
            tiled.iter().zip(cells).map(|(id, cell)| Tile::of(Some(id), cell).beside_a_line(cell.x > area.x)).collect()
        }
    }
}

/// Cells of a grid, with a column between two of a row. The last one of an uneven number has its row for itself.
fn grid(area: Rect, count: usize) -> Vec<Rect> {
    let across = match count {
        0 | 1 => 1,
        3 if area.width >= THREE => 3,
        _ if area.width >= TWO => 2,
        _ => 1,
    };
    let rows = count.div_ceil(across);
    let mut cells = Vec::with_capacity(count);
    for row in 0..rows {
        let (top, bottom) = (part(area.height, row, rows), part(area.height, row + 1, rows));
        let here = across.min(count - row * across);
        for column in 0..here {
            let (left, right) = (part(area.width + 1, column, here), part(area.width + 1, column + 1, here));
            let width = (right - left).saturating_sub(1);
            cells.push(Rect { x: area.x + left, y: area.y + top, width, height: bottom - top });
        }
    }
    cells
}

fn part(whole: u16, n: usize, of: usize) -> u16 {
    u16::try_from(usize::from(whole) * n / of).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cover_the_area_and_never_one_another() {
        for (width, height) in [(20, 6), (59, 10), (80, 24), (120, 40), (200, 60), (1, 1), (0, 0)] {
            let area = Rect { x: 3, y: 2, width, height };
            for count in 1..=MOST {
                let cells = grid(area, count);
                assert_eq!(cells.len(), count);
                for (n, cell) in cells.iter().enumerate() {
                    assert!(area.union(*cell) == area || cell.is_empty(), "{cell:?} of {area:?}");
                    assert!(cells[n + 1..].iter().all(|other| !cell.intersects(*other)), "{cells:?}");
                }
            }
        }
        let columns = |width, count| grid(Rect::new(0, 0, width, 20), count).iter().filter(|c| c.y == 0).count();
        assert_eq!([columns(40, 2), columns(80, 2), columns(80, 4), columns(80, 3), columns(160, 3)], [1, 2, 2, 2, 3]);
    }
}
