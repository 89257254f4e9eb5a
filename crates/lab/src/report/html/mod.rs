//! Draws the pages: each needs nothing else, in light and dark, on a screen and on paper.
//!
//! No script: a page must open from a file, in a mail, in a browser of tomorrow. Colours are custom properties of `page.css`,
//! the drawings are SVG that uses them. `page` is a run's report, `compare` puts any runs side by side, `index` leads to the
//! pages of many runs; they share `parts` (what stands in words), `figures` (the table), `plots` and `timeline`.

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
