import { defineConfig } from "vite";

// `npm run dev`: the page from its source, anew at each change, with the server of a running studio: STUDIO=http://127.0.0.1:8765 npm run dev
const studio = process.env.STUDIO ?? "http://127.0.0.1:8765";
const own = { target: studio, changeOrigin: true, headers: { origin: studio } };

// The bundle is part of the Python package and committed: same source, same bytes.
export default defineConfig({
  base: "./",
  server: { proxy: { "/ws": { ...own, ws: true }, "/k": own, "/files": own } },
  build: {
    outDir: "../src/closedchain/studio/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy allows no data: scripts or styles
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    chunkSizeWarningLimit: 1200, // three.js, loaded for robots in space only
  },
});
