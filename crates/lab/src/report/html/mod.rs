//! Draws the pages. Each is self-contained, and suits light and dark mode, screens and paper.
//!
//! Pages have no scripts, so they open from a file, from a mail, and in future browsers. Colours are custom properties of
//! `page.css`; the drawings are SVG that uses them. `page` is a run's report, `compare` compares any runs, and `index` links
//! to the pages of many runs. They share `parts` (text), `figures` (the table), `plots` and `timeline`.

mod axis_scale;
mod compare;
mod figures;
mod index;
mod line_style;
mod page;
mod parts;
mod plot;
mod plots;
mod ratios;
mod text;
mod timeline;

pub use compare::compare;
pub use figures::ratio_text;
pub use index::{All, Entry, NotRun, index};
pub use page::page;
pub use text::number;

/// Writing to a string cannot fail.
macro_rules! put {
    ($html:expr, $($argument:tt)*) => {{
        let _ = write!($html, $($argument)*);
    }};
}
use put;
