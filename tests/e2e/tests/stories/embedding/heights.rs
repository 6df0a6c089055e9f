//! Frames as high as the page in them says.

use anyhow::{Result, ensure};
use e2e::browser::Screen;
use e2e::page::{PATIENCE, Page};

use super::{framed, story, told, wait_for};

const OBEY: &str =
    "addEventListener('message', ({ data }) => { if (data.type === 'fedsysid:height') frame.height = data.px; });";

async fn heights(page: &Page) -> Result<Vec<u64>> {
    Ok(told(page, "fedsysid:height").await?.iter().filter_map(|told| told["px"].as_u64()).collect())
}

/// A frame that obeys from its first message on comes to rest, and stays there.
async fn comes_to_rest(page: &Page, view: &str, width: u32) -> Result<()> {
    framed(page, &format!("embed=1&show=views,M,eps&q=2&M=5&view={view}"), width).await?;
    page.eval::<()>(OBEY, &[]).await?;
    wait_for(page, "fedsysid:result").await?;
    let last = "told.findLast(({ type }) => type === 'fedsysid:height').px";
    page.eval::<()>(&format!("frame.height = {last};"), &[]).await?;
    let fits = "Math.abs(frame.contentDocument.documentElement.scrollHeight - frame.clientHeight) <= 1";
    page.wait("a frame that fits", PATIENCE, fits).await?;
    for _ in 0..5 {
        page.next_frames().await?;
    }
    let heights = heights(page).await?;
    // The first is of the page before its run.
    ensure!(heights.len() <= 2 && heights.windows(2).all(|pair| pair[0] != pair[1]), "{width}: {heights:?}");
    ensure!(page.is(fits).await?, "{width}: it does not stay: {heights:?}");
    let now: u64 = page.eval("return frame.clientHeight;", &[]).await?;
    ensure!(heights.last() == Some(&now), "{width}: {now} px instead of {heights:?}");
    Ok(())
}

/// The canvas has a pixel for each of the screen's.
async fn is_sharp(page: &Page, ratio: f64) -> Result<()> {
    const SHARP: &str = r"
        const canvas = frame.contentDocument.querySelector('#app canvas');
        const { width, height } = canvas.getBoundingClientRect();
        return [canvas.width, canvas.height, width * devicePixelRatio, height * devicePixelRatio, devicePixelRatio];";
    let [width, height, wanted_width, wanted_height, found]: [f64; 5] = page.eval(SHARP, &[]).await?;
    ensure!((found - ratio).abs() < 1e-6, "the screen has {found} instead of {ratio}");
    let is_whole = (width - wanted_width).abs() <= 0.5 && (height - wanted_height).abs() <= 0.5;
    ensure!(is_whole, "{width} × {height} pixels instead of {wanted_width} × {wanted_height} at {ratio}");
    Ok(())
}

/// Between a phone's width and a desktop's, windows of little height have a layout of their own, which frames must not have:
/// theirs would follow from what it leads to.
#[test]
fn heights_come_to_rest_in_every_view_at_middle_widths() {
    story().tell(async |page| {
        for width in [760, 1000] {
            for view in ["explore", "tradeoff", "map", "systems"] {
                comes_to_rest(page, view, width).await?;
            }
        }
        Ok(())
    });
}

#[test]
fn heights_come_to_rest_at_any_width_and_pixel_ratio() {
    story().tell(async |page| {
        for pixel_ratio in [1.0, 1.5, 2.0, 3.0] {
            let screen = Screen { size: (1280, 800), pixel_ratio, touch: false }.in_engine(page.browser().engine());
            let pixel_ratio = screen.pixel_ratio;
            page.browser().set_screen(screen).await?;
            for width in [320, 640, 1200] {
                comes_to_rest(page, "explore", width).await?;
                is_sharp(page, pixel_ratio).await?;
            }
        }
        Ok(())
    });
}
