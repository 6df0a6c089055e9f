//! Where browsers keep nothing for the page, as for third parties in frames, it works all the same.

use anyhow::ensure;
use e2e::page::PATIENCE;
use e2e::story::Story;

/// Everything that could keep something throws, in the ways that browsers have.
const NOTHING_IS_KEPT: &str = r"
    const refuse = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };
    for (const store of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
      Object.defineProperty(globalThis, store, { get: refuse, configurable: true });
    }
    Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: refuse, configurable: true });
    for (const way of ['replaceState', 'pushState']) History.prototype[way] = refuse;";

#[test]
fn nothing_is_kept_and_everything_works() {
    Story::new().where_first(NOTHING_IS_KEPT).tell(async |page| {
        page.open("q=4&M=10").await?;
        page.enter("eps", "0.4").await?;
        page.expect_what_is_set().await?;
        super::turn_to(page, "tradeoff").await?;
        let dark = "const box = document.querySelector('#app .theme-choice select'); box.value = 'dark'; \
                    box.dispatchEvent(new Event('change', { bubbles: true }));";
        page.eval::<()>(dark, &[]).await?;
        page.wait("dark colors", PATIENCE, "document.documentElement.dataset.theme === 'dark'").await?;
        // The page would be kept by now, if that were possible.
        page.wait("some time", PATIENCE, "performance.now() > 4000").await?;
        ensure!(page.complaints().await?.is_empty() && page.notices().await?.is_empty());
        Ok(())
    });
}
