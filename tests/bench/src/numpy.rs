//! The same cell in NumPy at its best: the script that makes the reference data times it, if this machine has Python
//! and NumPy.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The environment variable with the path of the Python to use.
const PYTHON_VARIABLE: &str = "FEDSYSID_PYTHON";

/// Names of Python on a search path.
const NAMES: [&str; 2] = ["python3", "python"];

/// The largest relative difference of the final errors: NumPy draws other data, and places the clients differently.
const AGREEMENT: f64 = 0.25;

/// NumPy's best time in `python`, in milliseconds.
///
/// # Errors
/// If NumPy cannot be timed, or solves another problem: if its final error is not near `final_error`.
pub fn best_ms(python: &OsStr, final_error: f64) -> Result<f64> {
    let (best, found) = read(&timing(python)?)?;
    let difference = (found / final_error - 1.0).abs();
    ensure!(difference < AGREEMENT, "NumPy ends at an error of {found}, the simulator at {final_error}");
    Ok(best)
}

fn timing(python: &OsStr) -> Result<String> {
    let maker = folder().join("../data/make_reference.py");
    let output = Command::new(python).arg(maker).args(["timing", "--json"]).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "NumPy could not be timed ({}); its messages are above", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// A Python that has NumPy, if this machine has one.
pub fn python() -> Option<OsString> {
    let has_numpy = |python: &OsString| {
        let mut trial = Command::new(python);
        trial.args(["-c", "import numpy"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        trial.status().is_ok_and(|status| status.success())
    };
    let chosen = env::var_os(PYTHON_VARIABLE);
    let names = NAMES.map(OsString::from);
    chosen.map_or_else(|| names.to_vec(), |chosen| vec![chosen]).into_iter().find(has_numpy)
}

/// How to install NumPy, so that it is measured too.
pub fn advice() -> String {
    format!(
        "no Python with NumPy was found, so NumPy was not measured: \
         `python3 -m pip install numpy` gets it, or {PYTHON_VARIABLE} names a Python that has it"
    )
}

/// This package's folder. The value that Cargo sets at run time has priority: checkouts may share a target folder.
fn folder() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).into(), PathBuf::from)
}

/// The best time in milliseconds, and the final error.
fn read(output: &str) -> Result<(f64, f64)> {
    let answer: Value = serde_json::from_str(output).context("NumPy's timing is no JSON")?;
    let number = |key: &str| answer[key].as_f64().with_context(|| format!("NumPy's timing lacks {key}: {answer}"));
    Ok((number("best_ms")?, number("final_error")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_maker_prints_is_read() {
        assert_eq!(read(r#"{"best_ms": 55.5, "final_error": 0.035, "numpy": "2.4"}"#).unwrap(), (55.5, 0.035));
        let error = read(r#"{"best_ms": 55.5}"#).unwrap_err().to_string();
        assert!(error.starts_with("NumPy's timing lacks final_error"), "{error}");
        assert!(read("Traceback").is_err());
    }

    #[test]
    fn the_maker_is_where_it_is_looked_for_and_knows_the_command() {
        let maker = std::fs::read_to_string(folder().join("../data/make_reference.py")).unwrap();
        assert!(maker.contains("timing --json"));
    }
}
