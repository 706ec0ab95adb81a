// Draws charts in the page's own colours. A chart is drawn when it has a width: when what holds it is opened.
const charts = (() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isServed = "served" in root.dataset; // by hopcost serve: its policy forbids styles and code made here
  const figures = [...document.querySelectorAll("figure.chart")];
  const canvasOf = (figure) => figure.querySelector(".canvas");
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
      style: { void: { color: colour("void") }, other: { color: series[1] } },
    };
  };

  // Vega is a megabyte of text until the first chart: pages open sooner.
  const loadLibrary = () => {
    if (window.vegaEmbed) return;
    const script = document.createElement("script");
    script.textContent = document.getElementById("library").textContent;
    document.head.append(script);
  };

  // Nothing in here waits for a timer or the network, so all charts stand before a page is printed.
  const draw = async (figure) => {
    const canvas = canvasOf(figure);
    const width = canvas.clientWidth;
    if (!width) return;
    figure.dataset.drawn = width;
    try {
      loadLibrary();
      const specification = { ...JSON.parse(figure.querySelector("script").textContent), width };
      const isDark = dark.matches && !("paper" in root.dataset);
      const theme = isDark ? "dark" : "light";
      const options = { actions: false, renderer: "svg", config: look(), ast: true, defaultStyle: !isServed,
        tooltip: { theme, disableDefaultStyle: isServed } };
      await vegaEmbed(canvas, specification, options);
    } catch (error) {
      canvas.textContent = `this chart could not be drawn: ${error.message}`;
      throw error;
    }
  };

  const widths = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      const figure = target.parentElement;
      if (target.clientWidth && target.clientWidth !== Number(figure.dataset.drawn)) draw(figure);
    }
  });
  for (const figure of figures) widths.observe(canvasOf(figure));
  const drawVisible = () => figures.forEach(draw);
  dark.addEventListener("change", drawVisible);
  return { drawVisible };
})();
