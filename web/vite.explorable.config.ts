import { defineConfig } from "vite";

// One script and one style that `closedchain export --to html` writes into its pages; part of the Python package, same source, same bytes.
export default defineConfig({
  build: {
    outDir: "../src/closedchain/export/explorable",
    emptyOutDir: true,
    target: "es2022",
    lib: { entry: "src/explorable/main.ts", name: "closedchainExplorable", formats: ["iife"], fileName: () => "explorable.js", cssFileName: "explorable" },
    reportCompressedSize: true,
  },
});
