//! The bundler's last step (`Trunk.toml`): what the page needs and only then can be made.

use std::env;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = env::var_os("TRUNK_STAGING_DIR");
    let folder = folder.ok_or_else(|| std::io::Error::other("Trunk calls this, and says where the page is"))?;
    finish::finish(Path::new(&folder))
}
