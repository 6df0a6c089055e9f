//! Scripts without their comments, which visitors need not download.

use std::fs;
use std::io::Result;
use std::path::Path;

/// Removes the lines of comments from every script in a folder.
pub(crate) fn shorten(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "js") {
            let text = fs::read_to_string(&path)?;
            let short = without_comments(&text);
            if short != text {
                fs::write(&path, short)?;
            }
        }
    }
    Ok(())
}

/// A script without the lines that are comments and nothing else.
fn without_comments(script: &str) -> String {
    script.split_inclusive('\n').filter(|line| !line.trim_start().starts_with("//")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_comments_go_and_all_others_stay() {
        let script = "// What it does.\n(() => {\n  // Why.\n  const at = \"https://a.example\"; // where\n})();\n";
        assert_eq!(without_comments(script), "(() => {\n  const at = \"https://a.example\"; // where\n})();\n");
        assert_eq!(without_comments("texts = \"de ,\\n1 //\";"), "texts = \"de ,\\n1 //\";");
    }
}
