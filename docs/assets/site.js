// Code that is wider than the page is scrolled by the keyboard, too. The theme takes the way to do
// so from devices that seem to have no pointer.
for (const code of document.querySelectorAll("pre > code")) {
  const keep = () => {
    if (!code.hasAttribute("tabindex")) code.tabIndex = 0;
  };
  new MutationObserver(keep).observe(code, { attributeFilter: ["tabindex"] });
  keep();
}
