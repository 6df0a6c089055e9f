// Strains the layout, for tests and translators: `?stringtest=double` shows every text twice, `?stringtest=rtl` mirrors the page
// as a language that runs from right to left does. Loaded only where a link asks for it; the page knows nothing of it.
{
  const doubled = new WeakMap();

  const double = (text) => {
    // Numbers are as long in any language.
    if (doubled.get(text) === text.data || !/\p{L}{2}/u.test(text.data)) return;
    if (text.parentElement?.closest("head, script, style, svg, math, data, output, textarea")) return;
    const twice = `${text.data.trim()} ${text.data}`;
    doubled.set(text, twice);
    text.data = twice;
  };

  const doubleAll = (root) => {
    if (root.nodeType === Node.TEXT_NODE) return double(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) double(walker.currentNode);
  };

  const { kind } = document.currentScript.dataset;
  if (kind === "rtl") document.documentElement.dir = "rtl";
  if (kind === "double") {
    doubleAll(document.documentElement);
    const observer = new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        if (type === "characterData") double(target);
        else addedNodes.forEach(doubleAll);
      }
    });
    observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true });
  }
}
