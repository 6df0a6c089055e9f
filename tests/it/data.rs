//! The reference data in `tests/data`.

use std::fs::File;
use std::io::BufReader;

use serde_json::Value;

/// The content of a file.
pub(crate) fn file(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let reader = BufReader::new(File::open(&path).expect("the reference data stand beside the tests"));
    serde_json::from_reader(reader).expect("the reference data are JSON")
}

/// The cells of a file, one for each experiment.
pub(crate) fn cells(name: &str) -> Vec<Value> {
    let data = file(name);
    data["cells"].as_array().expect("the reference data list cells").clone()
}

/// A whole number of a cell.
pub(crate) fn count(cell: &Value, key: &str) -> usize {
    usize::try_from(cell[key].as_u64().expect("a count")).expect("a small one")
}

/// A number of a cell.
pub(crate) fn number(cell: &Value, key: &str) -> f64 {
    cell[key].as_f64().expect("a number")
}
