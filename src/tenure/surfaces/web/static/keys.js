// Keys for the pages. Everything here only presses buttons that are on the page, which works without this file too.

const items = () => [...document.querySelectorAll("[data-item]")];
const current = () => document.activeElement?.closest?.("[data-item]") ?? null;

function go(step) {
  const all = items();
  if (!all.length) return;
  const place = all.indexOf(current());
  const next = all[Math.min(Math.max(place + step, 0), all.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function press(key) {
  const within = current() ?? items()[0];
  const found = within?.querySelector(`[data-key="${key}"]`);
  if (!found) return false;
  if (found.tagName === "DETAILS") {
    found.open = !found.open;
    if (found.open) found.querySelector("textarea, input:not([type=hidden])")?.focus();
    else within.focus();
  } else {
    found.click();
  }
  return true;
}

function selected() {
  return document.querySelectorAll("input[form=bulk]:checked").length;
}

function count() {
  const label = document.querySelector("#bulk .chosen, .bulk .chosen");
  if (!label) return;
  const number = selected();
  label.textContent = number ? `${number} selected:` : "With the selection:";
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at.matches("textarea, select, input:not([type=checkbox])")) {
    if (event.key === "Escape") current()?.focus();
    return;
  }
  if (document.querySelector("dialog[open]") && event.key !== "?") return;
  const keys = document.getElementById("keys");
  const did = {
    j: () => go(1),
    k: () => go(-1),
    a: () => press("a"),
    x: () => press("x"),
    l: () => press("l"),
    e: () => press("e"),
    s: () => press("s"),
    r: () => press("r"),
    w: () => press("w"),
    u: () => (document.querySelector("[data-key=u]") ?? document.querySelector("#undo button"))?.click(),
    A: () => selected() && document.querySelector("[data-key=A]")?.click(),
    "/": () => document.querySelector("input[type=search]")?.focus() ?? document.querySelector("a[href$='/search']")?.click(),
    "?": () => (keys.open ? keys.close() : keys.showModal()),
    " ": () => {
      if (at.matches("button, summary, a, input")) return false;
      return press("space");
    },
  }[event.key];
  if (did && did() !== false) event.preventDefault();
});

document.addEventListener("change", count);
count();

// After a decision the next one is where the last was.
const wanted = /^#item-(\d+)$/.exec(location.hash);
if (wanted) {
  const all = items();
  all[Math.min(Number(wanted[1]), all.length) - 1]?.focus();
}
