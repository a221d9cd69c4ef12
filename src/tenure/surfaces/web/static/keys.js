// Keys for the pages. Everything here only presses buttons that are on the page, which works without this file too.
// A form is sent in the background and the page's content replaced, so that no key is lost while a new page would load:
// keys pressed meanwhile are kept, and pressed when the answer is there.

const items = () => [...document.querySelectorAll("[data-item]")];
const current = () => document.activeElement?.closest?.("[data-item]") ?? null;
const waiting = [];
let busy = false;

function go(step) {
  const all = items();
  if (!all.length) return;
  const place = all.indexOf(current());
  const next = all[Math.min(Math.max(place + step, 0), all.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

// Without a focus keys mean the first one, so it looks like the one that has it.
function mark() {
  const first = current() ? null : items().find((each) => each.querySelector("button[data-key]"));
  for (const each of items()) each.classList.toggle("at", each === first);
}

function press(key) {
  const within = current() ?? items()[0];
  const found = within?.querySelector(`[data-key="${key}"]`) ?? (selected() ? document.querySelector(`.bulk [data-key="${key}"]`) : null);
  if (!found) {
    // Who may only look so far is led to the word that changes that.
    const word = document.querySelector(".prove input[name=word]");
    word?.focus();
    return Boolean(word);
  }
  if (found.tagName === "DETAILS") {
    found.open = !found.open;
    if (found.open) found.querySelector("textarea, input:not([type=hidden])")?.focus();
    else within.focus();
  } else {
    found.click();
    // A verdict on one of many: on to the next.
    if (found.type === "radio") go(1);
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

function type(key, at) {
  if (document.querySelector("dialog[open]") && key !== "?") return false;
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
    b: () => press("b"),
    m: () => press("m"),
    1: () => press("1"),
    2: () => press("2"),
    o: () => (current() ?? items()[0])?.querySelector("h2 a, a")?.click(),
    n: () => document.querySelector("a[rel=next]")?.click(),
    p: () => document.querySelector("a[rel=prev]")?.click(),
    u: () => (document.querySelector("[data-key=u]") ?? document.querySelector("#undo button"))?.click(),
    A: () => selected() && document.querySelector("[data-key=A]")?.click(),
    "/": () => document.querySelector("input[type=search]")?.focus() ?? document.querySelector("a[href$='/search']")?.click(),
    "?": () => (keys.open ? keys.close() : keys.showModal()),
    " ": () => {
      if (at?.matches("button, summary, a, input")) return false;
      return press("space");
    },
  }[key];
  return did ? did() !== false : false;
}

document.addEventListener("keydown", (event) => {
  const at = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && at.matches("textarea")) {
    // By its button, whose value says what the form is for.
    at.form.requestSubmit(at.form.querySelector("button"));
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (busy) {
    if (event.key.length === 1) {
      waiting.push(event.key);
      event.preventDefault();
    }
    return;
  }
  if (at.matches("textarea, select, input:not([type=checkbox]):not([type=radio])")) {
    if (event.key === "Escape") {
      const folded = at.closest("details");
      if (folded) folded.open = false;
      (current() ?? document.querySelector("main")).focus();
    }
    return;
  }
  if (type(event.key, at)) event.preventDefault();
});

// A document that XMLHttpRequest read runs no script of its own; its nodes take the place of those that are here.
function replace(read) {
  const [said, main] = [read.querySelector(".said"), read.querySelector("main")];
  const here = document.querySelector(".said");
  if (!main || !said || !here) return false;
  here.replaceChildren(...said.childNodes);
  while (here.nextSibling) here.nextSibling.remove();
  said.remove();
  here.after(...main.childNodes);
  for (const part of ["footer", ".brand"]) document.querySelector(part).replaceWith(read.querySelector(part));
  document.title = read.title;
  return true;
}

function settle(hash) {
  const wanted = /^#item-(\d+)$/.exec(hash);
  const all = items();
  // After a decision the next one is where the last was.
  if (wanted && all.length) {
    const next = all[Math.min(Number(wanted[1]), all.length) - 1];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  } else if (wanted) document.querySelector("main").focus();
  count();
  mark();
}

function send(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter));
  const request = new XMLHttpRequest();
  const main = document.querySelector("main");
  busy = true;
  main.setAttribute("aria-busy", "true");
  const ended = (went) => {
    busy = false;
    main.removeAttribute("aria-busy");
    // It may have been done, so it is not sent again: the page tells.
    if (!went) return location.reload();
    settle(new URL(fields.get("next") ?? "/", location.origin).hash);
    while (waiting.length && !busy) type(waiting.shift(), null);
  };
  request.addEventListener("load", () => {
    const read = request.responseXML;
    if (!read || request.status >= 400 || !replace(read)) return ended(false);
    history.replaceState(null, "", request.responseURL);
    ended(true);
  });
  request.addEventListener("error", () => ended(false));
  request.open(form.method, form.action);
  request.responseType = "document";
  request.send(fields);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  event.preventDefault();
  if (!busy) send(form, event.submitter);
});

document.addEventListener("change", count);
for (const moved of ["focusin", "focusout"]) document.addEventListener(moved, () => setTimeout(mark));
document.querySelector(".top nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
const button = document.getElementById("show-keys");
button.hidden = false;
button.addEventListener("click", () => document.getElementById("keys").showModal());
settle(location.hash);
