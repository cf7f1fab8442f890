import { defineConfig } from "vite";

// The bundle is part of the Python package and committed: same source, same bytes.
export default defineConfig({
  base: "./",
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
