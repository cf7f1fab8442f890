// Charts: the wheel, a drag or the buttons zoom and move; a double click shows all of it again.
for (const figure of document.querySelectorAll("figure.chart")) {
  const svg = figure.querySelector("svg");
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let box = [...whole];
  const show = () => svg.setAttribute("viewBox", box.join(" "));
  const at = (event) => {
    const place = svg.getBoundingClientRect();
    return [(event.clientX - place.left) / place.width, (event.clientY - place.top) / place.height];
  };
  const zoom = (factor, [u, v]) => {
    const scale = Math.min(1, Math.max(1 / 64, (box[2] / whole[2]) * factor));
    const size = [whole[2] * scale, whole[3] * scale];
    const corner = [box[0] + u * (box[2] - size[0]), box[1] + v * (box[3] - size[1])];
    box = [...corner.map((c, i) => Math.min(Math.max(c, whole[i]), whole[i] + whole[i + 2] - size[i])), ...size];
    show();
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event));
  });
  svg.addEventListener("dblclick", () => zoom(Infinity, [0, 0]));
  svg.addEventListener("pointermove", (event) => {
    if (!(event.buttons & 1)) return;
    const place = svg.getBoundingClientRect();
    const moved = [box[0] - (event.movementX / place.width) * box[2], box[1] - (event.movementY / place.height) * box[3]];
    box = [...moved.map((c, i) => Math.min(Math.max(c, whole[i]), whole[i] + whole[i + 2] - box[i + 2])), box[2], box[3]];
    show();
  });
  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", () => zoom(Number(button.dataset.zoom), [0.5, 0.5]));
  }
}
