// Opens folded parts for addresses and for paper, shows where the reader is, copies and saves.
(() => {
  const root = document.documentElement;

  const open = (address) => {
    const target = document.getElementById(decodeURIComponent(address.slice(1)));
    for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    return target;
  };
  const follow = () => open(location.hash)?.scrollIntoView();
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link) open(link.hash);
  });
  window.addEventListener("hashchange", follow);
  if (location.hash) follow();

  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const part of folded) part.open = true;
    root.dataset.paper = "";
    charts.drawVisible();
  });
  window.addEventListener("afterprint", () => {
    delete root.dataset.paper;
    charts.drawVisible();
    for (const part of folded) part.open = false;
  });

  const bar = document.querySelector("nav");
  const links = new Map([...bar.querySelectorAll("a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const place = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = links.get(target.id);
      if (isIntersecting) {
        link.setAttribute("aria-current", "true");
        bar.scrollLeft = link.offsetLeft - 16;
      } else {
        link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-20% 0px -80% 0px" });
  for (const name of links.keys()) place.observe(document.getElementById(name));

  const status = document.getElementById("status");
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      getSelection().selectAllChildren(source);
      try {
        await navigator.clipboard.writeText(source.textContent);
        status.textContent = "copied";
      } catch {
        status.textContent = "selected: copy it with Ctrl+C";
      }
    });
  }
  for (const button of document.querySelectorAll("button[data-save]")) {
    button.addEventListener("click", () => {
      const name = button.dataset.save;
      const text = JSON.parse(document.getElementById("files").textContent)[name];
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = name;
      link.click();
      URL.revokeObjectURL(link.href);
      status.textContent = `saved ${name}`;
    });
  }
})();
