//! What people do on the page.

use anyhow::{Context, Result, bail};
use serde_json::json;
use thirtyfour::common::command::Command;
use thirtyfour::{By, Key};

use super::{Page, number_box, slider};
use crate::gesture::Gesture;

impl Page {
    /// Has a device do something.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn perform(&self, gesture: Gesture) -> Result<()> {
        let handle = self.browser.driver().handle();
        Ok(handle.cmd(Command::PerformActions(gesture.actions().into())).await.map(drop)?)
    }

    /// Presses keys one after the other.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn press(&self, keys: impl IntoIterator<Item = Key>) -> Result<()> {
        self.perform(keys.into_iter().fold(Gesture::keys(), |gesture, key| gesture.key(key.value()))).await
    }

    /// Types a text.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        self.perform(text.chars().fold(Gesture::keys(), Gesture::key)).await
    }

    /// Clicks an element.
    ///
    /// # Errors
    /// If there is no such element, or something lies over it.
    pub async fn click(&self, css: &str) -> Result<()> {
        let element = self.browser.driver().find(By::Css(css)).await?;
        element.click().await.with_context(|| format!("clicking {css}"))
    }

    /// Gives an element the focus.
    ///
    /// # Errors
    /// If there is no such element, or it cannot have the focus.
    pub async fn focus(&self, css: &str) -> Result<()> {
        const SCRIPT: &str = r"
            const element = document.querySelector(arguments[0]);
            element?.focus();
            return Boolean(element) && document.activeElement === element;";
        if self.eval(SCRIPT, &[json!(css)]).await? { Ok(()) } else { bail!("{css} does not take the focus") }
    }

    /// Presses a button that saves a file, and takes the file's text instead of having it saved.
    ///
    /// # Errors
    /// If there is no such button.
    pub async fn saved_by(&self, css: &str) -> Result<String> {
        const SCRIPT: &str = r"
            const saved = new Promise((resolve) => {
              const make = URL.createObjectURL;
              URL.createObjectURL = (blob) => {
                URL.createObjectURL = make;
                resolve(blob.text());
                return make.call(URL, blob);
              };
            });
            const click = HTMLAnchorElement.prototype.click;
            HTMLAnchorElement.prototype.click = () => {};
            document.querySelector(arguments[0]).click();
            HTMLAnchorElement.prototype.click = click;
            return saved;";
        self.eval(SCRIPT, &[json!(css)]).await
    }

    /// Chooses a file of this name and content in a box for files.
    ///
    /// # Errors
    /// If there is no such box.
    pub async fn choose_file(&self, css: &str, name: &str, content: &str) -> Result<()> {
        self.choose_files(&[(css, name, content)]).await
    }

    /// The same for several inputs, one right after the other: the page does nothing in between.
    ///
    /// # Errors
    /// If there is no such input.
    pub async fn choose_files(&self, chosen: &[(&str, &str, &str)]) -> Result<()> {
        const SCRIPT: &str = r"
            for (const [css, name, content] of arguments[0]) {
              const input = document.querySelector(css);
              const transfer = new DataTransfer();
              transfer.items.add(new File([content], name));
              input.files = transfer.files;
              input.dispatchEvent(new Event('change', { bubbles: true }));
            }";
        self.eval(SCRIPT, &[json!(chosen)]).await
    }

    /// Holds Ctrl while a key is pressed.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn press_with_control(&self, key: char) -> Result<()> {
        self.perform(Gesture::keys().chord(&[Key::Control], key)).await
    }

    /// Goes back, or forward, in the history.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn travel(&self, steps: i32) -> Result<()> {
        self.eval("history.go(arguments[0]);", &[json!(steps)]).await
    }

    /// Shows the folded settings.
    ///
    /// # Errors
    /// If there are none.
    pub async fn unfold(&self) -> Result<()> {
        if self.is("document.querySelector('#app details.more').open").await? {
            return Ok(());
        }
        self.click("#app details.more > summary").await
    }

    /// Types a value into a parameter's number box and takes it over with Enter.
    ///
    /// # Errors
    /// If there is no such box in sight.
    pub async fn enter(&self, key: &str, text: &str) -> Result<()> {
        self.focus(&number_box(key)).await?;
        self.eval::<()>("document.activeElement.select();", &[]).await?;
        self.type_text(text).await?;
        self.press([Key::Enter]).await
    }

    /// Drags a slider with the mouse, from where it is along `fractions` of its track, in `steps` moves between two.
    ///
    /// # Errors
    /// If there is no such slider.
    pub async fn drag(&self, key: &str, fractions: &[f64], steps: u32) -> Result<()> {
        let track = self.rect(&slider(key)).await?;
        let now: f64 = self
            .eval("const s = document.querySelector(arguments[0]); return s.value / s.max;", &[json!(slider(key))])
            .await?;
        let press = Gesture::mouse().to(track.at(now, 0.5), 0).down();
        let path = fractions.iter().fold((press, now), |(gesture, from), &to| {
            (gesture.glide(track.at(from, 0.5), track.at(to, 0.5), steps), to)
        });
        self.perform(path.0.up()).await
    }
}
