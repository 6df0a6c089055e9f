//! What a visitor downloads: the size of every file of `dist/`, as it is and as servers send it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use serde::Serialize;

use crate::project::Project;
use crate::site;

/// Brotli's strongest setting, which a server applies once and ahead of time.
const BROTLI_QUALITY: i32 = 11;
/// Brotli's largest window, as a power of two.
const BROTLI_WINDOW: i32 = 22;

/// The command's output.
#[derive(Debug, Serialize)]
struct Report {
    files: Vec<FileSize>,
    total: Size,
}

#[derive(Debug, Serialize)]
struct FileSize {
    /// Relative to `dist/`, with `/` between folders.
    path: String,
    #[serde(flatten)]
    size: Size,
}

/// Bytes, by encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Size {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |total, size| Self {
            raw: total.raw + size.raw,
            gzip: total.gzip + size.gzip,
            brotli: total.brotli + size.brotli,
        })
    }
}

/// Builds `dist/` and prints its sizes as JSON.
pub(crate) fn run(project: &Project) -> Result<()> {
    site::build(project)?;
    let report = measure(&project.dist())?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

fn measure(dist: &Path) -> Result<Report> {
    let mut files = files_below(dist)
        .with_context(|| format!("cannot list {}", dist.display()))?
        .iter()
        .map(|file| measure_file(file, dist))
        .collect::<Result<Vec<_>>>()?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let total = files.iter().map(|file| file.size).sum();
    Ok(Report { files, total })
}

fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn measure_file(file: &Path, dist: &Path) -> Result<FileSize> {
    let measured = fs::read(file).and_then(|bytes| sizes(&bytes));
    let size = measured.with_context(|| format!("cannot measure {}", file.display()))?;
    let relative = file.strip_prefix(dist).unwrap_or(file);
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    Ok(FileSize { path: parts.join("/"), size })
}

fn sizes(bytes: &[u8]) -> std::io::Result<Size> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    let mut brotli = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &bytes[..], &mut brotli, &parameters)?;
    Ok(Size { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: brotli.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_repeats_itself_shrinks_and_still_unpacks() {
        let text = "a federated system identification; ".repeat(1_000);
        let size = sizes(text.as_bytes()).unwrap();
        assert_eq!(size.raw, text.len());
        assert!(size.gzip < size.raw / 50, "{size:?}");
        assert!(size.brotli < size.gzip, "{size:?}");
    }

    #[test]
    fn every_file_is_listed_and_the_total_is_their_sum() {
        let folder = tempfile::tempdir().unwrap();
        let dist = folder.path();
        fs::create_dir_all(dist.join("fonts")).unwrap();
        fs::write(dist.join("index.html"), "<!doctype html>").unwrap();
        fs::write(dist.join("fonts/a.css"), "body { margin: 0 }").unwrap();
        let report = measure(dist).unwrap();

        let paths: Vec<_> = report.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["fonts/a.css", "index.html"]);
        assert_eq!(report.total.raw, 15 + 18);
        assert_eq!(report.total, report.files.iter().map(|file| file.size).sum());

        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["files"][1]["path"], "index.html");
        assert_eq!(json["files"][1]["raw"], 15);
        assert_eq!(json["total"]["raw"], 33);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = measure(Path::new("/no/such/dist")).unwrap_err().to_string();
        assert_eq!(error, "cannot list /no/such/dist");
    }
}
