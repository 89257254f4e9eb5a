//! The styles of lines. They differ in colour and, for prints in grey, also in dashes and in the shapes of points.

use super::put;
use std::fmt::Write;

/// The number of colours in `page.css`, and of shapes and dashes in this file.
const HUES: usize = 6;
const DASHES: [&str; 6] = ["", "7 4", "2 3", "10 3 2 3", "12 5", "4 2"];

/// The style of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineStyle {
    /// The colour, and the shape of the points.
    hue: usize,
    /// The dashes.
    dash: usize,
}

impl LineStyle {
    /// The style of the line with this number.
    pub fn of(index: usize) -> Self {
        Self { hue: index % HUES, dash: index % DASHES.len() }
    }

    /// The style of a line for a part of a storage: the storage decides the colour, the part decides the dashes.
    pub fn of_part(storage: usize, part: usize, parts: usize) -> Self {
        if parts > 1 { Self { hue: storage % HUES, dash: part % DASHES.len() } } else { Self::of(storage) }
    }

    /// The CSS class of the colour.
    pub fn class(self) -> String {
        format!("hue{}", self.hue)
    }

    /// The SVG attribute for the dashes, with a leading space.
    pub fn dash(self) -> String {
        match DASHES.get(self.dash) {
            Some(&dash) if !dash.is_empty() => format!(" stroke-dasharray=\"{dash}\""),
            _ => String::new(),
        }
    }

    /// Draws a point at this position.
    pub fn point(self, x: f64, y: f64) -> String {
        match self.hue {
            0 => format!("<circle class=\"point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
            1 => polygon(x, y, &[(-3.8, -3.8), (3.8, -3.8), (3.8, 3.8), (-3.8, 3.8)]),
            2 => polygon(x, y, &[(0.0, -5.0), (4.8, 3.6), (-4.8, 3.6)]),
            3 => polygon(x, y, &[(0.0, -5.4), (5.4, 0.0), (0.0, 5.4), (-5.4, 0.0)]),
            4 => polygon(x, y, &[(0.0, 5.0), (4.8, -3.6), (-4.8, -3.6)]),
            _ => format!("<circle class=\"point hollow\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\"/>"),
        }
    }
}

fn polygon(x: f64, y: f64, corners: &[(f64, f64)]) -> String {
    let corners: Vec<_> = corners.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
    format!("<polygon class=\"point\" points=\"{}\"/>", corners.join(" "))
}

/// Draws a legend: a short piece of each line beside its name.
pub fn legend<'a>(html: &mut String, lines: impl Iterator<Item = (&'a str, LineStyle)>) {
    html.push_str("<p class=\"legend\">");
    for (name, look) in lines {
        put!(
            html,
            "<span><svg class=\"{}\" viewBox=\"0 0 34 12\" aria-hidden=\"true\">\
             <path class=\"line\"{} d=\"M1 6h32\"/>{}</svg>{}</span>",
            look.class(),
            look.dash(),
            look.point(17.0, 6.0),
            super::text::escape(name),
        );
    }
    html.push_str("</p>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_differ_in_colour_shape_and_dashes() {
        let looks: Vec<_> = (0..HUES).map(LineStyle::of).collect();
        for (index, look) in looks.iter().enumerate() {
            for other in &looks[..index] {
                assert_ne!(look.class(), other.class());
                assert_ne!(look.dash(), other.dash());
                assert_ne!(look.point(0.0, 0.0), other.point(0.0, 0.0));
            }
        }
    }

    #[test]
    fn parts_of_a_storage_share_its_colour() {
        let [steady, killed] = [0, 1].map(|part| LineStyle::of_part(2, part, 2));
        assert_eq!(steady.class(), killed.class());
        assert_ne!(steady.dash(), killed.dash());
        assert_eq!(LineStyle::of_part(2, 0, 1), LineStyle::of(2));
    }
}
