//! The bundler's last step (`Trunk.toml`): the service worker is told its files.

use std::env;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = env::var_os("TRUNK_STAGING_DIR");
    let folder = folder.ok_or_else(|| std::io::Error::other("Trunk calls this, and says where the page is"))?;
    offline::fill(Path::new(&folder))
}
