// Builds the console into `dist`, from which `crates/admin/build.rs` takes it.
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // The content security policy allows neither inline scripts nor data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
  // `npm run dev` beside a daemon: FOREBAY_API=http://127.0.0.1:8049.
  server: { proxy: { '/api': process.env.FOREBAY_API ?? 'http://127.0.0.1:8049' } },
})
