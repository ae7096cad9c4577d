"""Measure the contrast of a page in a browser by the rules of WCAG 2.1 (AA).

That is of all text, success criterion 1.4.3, and of the borders by which one knows fields and buttons, 1.4.11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Text is compared with what lies behind it in its ancestors.  Large text is of 24 pixels, or bold of 18.66.
_MEASURE = """() => {
  const parse = (text) => {
    const found = text.match(/[\\d.]+/g).map(Number);
    return { rgb: found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
  };
  const over = (top, alpha, below) => top.map((one, at) => one * alpha + below[at] * (1 - alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => one / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
      if (alpha > 0) layers.push({ rgb, alpha });
      if (alpha === 1) break;
    }
    const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((below, { rgb, alpha }) => over(rgb, alpha, below), canvas);
  };
  const poor = new Map();
  let texts = 0;
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const own = [...element.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE);
    const said = own.map((one) => one.textContent.trim()).join(" ").trim();
    if (!said || element.closest("[aria-disabled=true], [disabled], .disabled, script, style")) continue;
    const style = getComputedStyle(element);
    const { rgb, alpha } = parse(element instanceof SVGElement ? style.fill : style.color);
    const below = behind(element instanceof SVGElement ? element.ownerSVGElement.parentElement : element);
    const [a, b] = [light(over(rgb, alpha, below)), light(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    texts += 1;
    if (ratio < (large ? 3 : 4.5)) {
      const where = `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`;
      if (!poor.has(where)) poor.set(where, `${where} "${said.slice(0, 40)}": ${ratio.toFixed(2)}`);
    }
  }
  for (const element of document.querySelectorAll("input, select, button")) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element), { rgb, alpha } = parse(style.borderTopColor);
    if (!parseFloat(style.borderTopWidth) || !alpha) continue;
    if (element.closest("[aria-disabled=true], [aria-current]")) continue;
    const below = behind(element.parentElement);
    const [a, b] = [light(over(rgb, alpha, below)), light(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const where = `border of ${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`;
    if (ratio < 3) poor.set(where, `${where}: ${ratio.toFixed(2)}`);
  }
  return { texts, poor: [...poor.values()] };
}"""


def poor_contrast(tab: Page, *, least: int = 20) -> list[str]:
    """Return the kinds of text and border with too little contrast: element, the words of one, and the ratio.

    `least` texts at least must be there, so that a page that is empty does not pass.
    """
    found = tab.evaluate(_MEASURE)
    assert found["texts"] >= least, f"{found['texts']} texts alone"
    poor: list[str] = found["poor"]
    return poor
