// Draws the charts in the page's own colours: at once, when a folded part is opened, when the colours change, before printing.
(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

  const look = () => {
    const text = colour("text");
    const quiet = colour("quiet");
    const series = [1, 2, 3, 4, 5, 6, 7].map((number) => colour(`series-${number}`));
    return {
      background: null,
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis: { labelColor: text, titleColor: quiet, gridColor: colour("grid"), domainColor: quiet, tickColor: quiet,
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelOverlap: true },
      legend: { labelColor: text, titleColor: text, labelFontSize: 12 },
      mark: { color: series[0] },
      rule: { color: text },
      text: { color: text },
      range: { category: series },
      style: {
        band: { color: colour("band") }, void: { color: colour("void") },
        "on-bar": { color: colour("on-bar") }, other: { color: series[1] },
      },
    };
  };

  const draw = async (figure) => {
    const specification = JSON.parse(figure.querySelector("script").textContent);
    const options = { actions: false, renderer: "svg", config: look(), tooltip: { theme: dark.matches ? "dark" : "light" } };
    try {
      await vegaEmbed(figure.querySelector(".canvas"), specification, options);
      figure.dataset.drawn = "yes";
    } catch (error) {
      figure.querySelector(".canvas").textContent = `this chart could not be drawn: ${error.message}`;
      throw error;
    }
  };

  const visible = (figure) => !figure.closest("details:not([open])");
  const drawAll = async (wanted) => {
    for (const figure of document.querySelectorAll("figure.chart")) {
      if (wanted(figure)) await draw(figure);
    }
    root.dataset.charts = "drawn";
  };

  for (const part of document.querySelectorAll("details")) {
    part.addEventListener("toggle", () => {
      if (part.open) drawAll((figure) => part.contains(figure) && visible(figure) && !figure.dataset.drawn);
    });
  }
  dark.addEventListener("change", () => drawAll((figure) => figure.dataset.drawn));
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details.print")) part.open = true;
  });
  drawAll(visible);
})();
