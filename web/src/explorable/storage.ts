// Where a page is shown inside another one, its browser may refuse it a memory: then what is kept is kept while the page is open.

const refused = (): boolean => {
  try {
    localStorage.getItem("");
    return false;
  } catch {
    return true;
  }
};

if (refused()) {
  const held = new Map<string, string>();
  const memory = { getItem: (key: string) => held.get(key) ?? null, setItem: (key: string, value: string) => void held.set(key, value) };
  Object.defineProperty(window, "localStorage", { value: memory });
}
