// What is wider than the page is scrolled by the keyboard, too: tables, formulas and code. The theme
// makes some of these elements late, and takes the way to scroll code from devices that seem to have
// no pointer.
const wide = "pre > code, .scroll, .output, .formula, .md-typeset__scrollwrap";
const reach = () => {
  for (const element of document.querySelectorAll(wide)) {
    const scrolls = element.scrollWidth > element.clientWidth;
    if (scrolls && !element.hasAttribute("tabindex")) element.tabIndex = 0;
  }
  // The theme makes a landmark without a name of every button to copy.
  for (const element of document.querySelectorAll(".md-code__nav")) element.role = "none";
};
new MutationObserver(reach).observe(document.querySelector("article"), {
  attributeFilter: ["tabindex"], childList: true, subtree: true,
});
addEventListener("resize", reach);
addEventListener("load", reach);
reach();

// Dark pictures follow the palette that the reader chose, which need not be that of the device.
const darks = [...document.querySelectorAll('source[srcset*="-dark."]')].map((source) => [
  source, source.media.replace(/( and )?\(prefers-color-scheme: dark\)/, "") || "all",
]);
const recolour = () => {
  const dark = document.body.dataset.mdColorScheme === "slate";
  for (const [source, media] of darks) source.media = dark ? media : "not all";
};
new MutationObserver(recolour).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
recolour();
