//! Tables for spreadsheets (RFC 4180), made of the value that programs get.
//!
//! A list gives a row for each of its objects, anything else one row. The columns are the fields of the API; a field of an inner object is
//! `object.field`. An empty list gives nothing, because its columns are not known.

use std::collections::HashSet;

use anyhow::Result;
use serde::Serialize;
use yaml_serde::{Mapping, Value};

use super::escaped;

/// The column of a value that is not an object.
const VALUE: &str = "value";
/// The fields of a page: its objects, and the number of all of them.
const ITEMS: &str = "items";
const TOTAL: &str = "total";

/// The columns of an object and what is in them.
type Row = Vec<(String, String)>;

/// The table of a value, with its headings.
pub(super) fn table<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    // Unlike those of JSON, YAML's values keep the order of fields.
    let rows = items(yaml_serde::to_value(value)?).iter().map(row).collect::<Result<Vec<Row>>>()?;
    let columns = columns(&rows);
    if columns.is_empty() {
        return Ok(String::new());
    }
    let headings = columns.iter().map(|column| (*column).to_owned()).collect();
    let cells = rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect());
    Ok(text(&[headings].into_iter().chain(cells).collect::<Vec<Vec<String>>>()))
}

/// The line of one object of a sequence, in these columns.
pub(super) fn next<T: Serialize>(value: &T, columns: &[&str]) -> Result<String> {
    let row = row(&yaml_serde::to_value(value)?)?;
    Ok(line(&columns.iter().map(|column| cell(&row, column)).collect::<Vec<_>>()))
}

/// The lines of rows.
pub(super) fn text(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| line(row)).collect()
}

/// Cells are escaped as on a terminal, so each row is one line. A spreadsheet takes text that begins like a formula for one, unless it begins
/// with an apostrophe.
pub(super) fn line(cells: &[String]) -> String {
    let written = |cell: &String| {
        let mut text = escaped(cell);
        if text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err() {
            text = format!("'{text}").into();
        }
        if text.contains([',', '"', ';']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.into_owned()
        }
    };
    format!("{}\n", cells.iter().map(written).collect::<Vec<_>>().join(","))
}

fn cell(row: &Row, column: &str) -> String {
    row.iter().find(|(name, _)| name == column).map(|(_, text)| text.clone()).unwrap_or_default()
}

/// The objects of a list, or the value itself.
fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Sequence(items) => items,
        Value::Mapping(fields) => list_in(&fields).unwrap_or_else(|| vec![Value::Mapping(fields)]),
        other => vec![other],
    }
}

/// The objects of a page. Another object is one row, whatever lists it has: otherwise its columns would depend on which of them are empty.
fn list_in(fields: &Mapping) -> Option<Vec<Value>> {
    let of_page = || fields.contains_key(TOTAL).then(|| fields.values().find(|value| value.is_sequence()));
    fields.get(ITEMS).or_else(|| of_page().flatten())?.as_sequence().cloned()
}

fn row(value: &Value) -> Result<Row> {
    let mut row = Row::new();
    flatten("", value, &mut row)?;
    Ok(row)
}

fn flatten(name: &str, value: &Value, row: &mut Row) -> Result<()> {
    let text = match value {
        Value::Mapping(fields) if !fields.is_empty() => {
            for (field, value) in fields {
                let field = word(field)?;
                let name = if name.is_empty() { field } else { format!("{name}.{field}") };
                flatten(&name, value, row)?;
            }
            return Ok(());
        }
        Value::Sequence(items) if items.iter().all(|item| !item.is_mapping() && !item.is_sequence()) => {
            items.iter().map(word).collect::<Result<Vec<_>>>()?.join(", ")
        }
        other => word(other)?,
    };
    row.push((if name.is_empty() { VALUE } else { name }.to_owned(), text));
    Ok(())
}

/// A value in one cell. What has parts is JSON.
fn word(value: &Value) -> Result<String> {
    Ok(match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => value.clone(),
        parts => serde_json::to_string(parts)?,
    })
}

/// All columns, in the order in which they first occur. A part that some rows lack has no column of its own.
fn columns(rows: &[Row]) -> Vec<&str> {
    let mut known = HashSet::new();
    let all: Vec<&str> =
        rows.iter().flatten().map(|(name, _)| name.as_str()).filter(|name| known.insert(*name)).collect();
    let has_parts = |column: &str| {
        all.iter().any(|other| other.strip_prefix(column).is_some_and(|rest| rest.starts_with('.')))
    };
    all.iter().copied().filter(|column| !has_parts(column)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Volume {
        name: &'static str,
        size: Option<u64>,
        efficiency: Option<Parts>,
        clones: Vec<&'static str>,
    }

    #[derive(Serialize)]
    struct Parts {
        ratio: f64,
        stored: u64,
    }

    #[test]
    fn cells_are_quoted_where_they_must_be_and_are_no_formulas() {
        let row = ["orders", "a,b", "say \"x\"", "two\nlines", "", "-1.5", "=1+1", "@a"].map(str::to_owned);
        assert_eq!(line(&row), "orders,\"a,b\",\"say \"\"x\"\"\",two\\nlines,,-1.5,'=1+1,'@a\n");
    }

    #[test]
    fn a_list_has_a_row_for_each_object_and_a_column_for_each_field() {
        let volumes = [
            Volume { name: "empty", size: None, efficiency: None, clones: vec![] },
            Volume {
                name: "kafka",
                size: Some(5 << 30),
                efficiency: Some(Parts { ratio: 2.5, stored: 7 }),
                clones: vec!["a", "b"],
            },
        ];
        assert_eq!(
            table(&volumes).unwrap(),
            "name,size,clones,efficiency.ratio,efficiency.stored\nempty,,,,\nkafka,5368709120,\"a, b\",2.5,7\n"
        );
        assert_eq!(table::<[Volume]>(&[]).unwrap(), "");
    }

    #[test]
    fn a_page_is_its_objects_and_another_object_is_one_row() {
        assert_eq!(table(&json!({"opens": [{"file": "x"}], "total": 9})).unwrap(), "file\nx\n");
        assert_eq!(table(&json!({"opens": [], "total": 0})).unwrap(), "");
        assert_eq!(table(&json!({"items": [{"name": "x"}], "broken": [{"a": 1}]})).unwrap(), "name\nx\n");
        for (changes, cell) in [(json!([]), ""), (json!([{"id": 1}]), "\"[{\"\"id\"\":1}]\"")] {
            let status = json!({"status": "ok", "changes": changes});
            assert_eq!(table(&status).unwrap(), format!("changes,status\n{cell},ok\n"));
        }
        let job = json!({"id": 1, "result": {"chunks": 3, "lists": [{"a": 1}]}});
        assert_eq!(table(&job).unwrap(), "id,result.chunks,result.lists\n1,3,\"[{\"\"a\"\":1}]\"\n");
        assert_eq!(table("text").unwrap(), "value\ntext\n");
    }

    #[test]
    fn objects_of_a_sequence_have_the_columns_that_were_announced() {
        assert_eq!(next(&json!({"key": "a", "size": 1}), &["prefix", "key", "size"]).unwrap(), ",a,1\n");
        assert_eq!(next(&json!({"prefix": "b/"}), &["prefix", "key", "size"]).unwrap(), "b/,,\n");
    }
}
