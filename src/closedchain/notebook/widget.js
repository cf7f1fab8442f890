// The exported page in a frame of its own: what it computes with and how it looks cannot meet the notebook's.

const POSE = ["q", "x", "working", "assembly", "values"];

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "a robot to be dragged";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "width: 100%; border: 1px solid #8886; border-radius: 8px; background: white;";
  const resize = () => (frame.style.height = `${model.get("height")}px`);
  resize();
  frame.srcdoc = model.get("page");
  el.append(frame);

  const ask = () => frame.contentWindow?.postMessage({ closedchain: "go", ...model.get("_asked") }, "*");
  let opened = false;
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.closedchain !== "pose") return;
    if (!opened) {
      opened = true;
      if (Object.keys(model.get("_asked")).length) ask(); // asked for before the page was there
    }
    for (const name of POSE) model.set(name, data[name]);
    model.save_changes();
  };
  window.addEventListener("message", hear);
  model.on("change:_asked", ask);
  model.on("change:height", resize);
  return () => {
    window.removeEventListener("message", hear);
    model.off("change:_asked", ask);
    model.off("change:height", resize);
  };
}

export default { render };
