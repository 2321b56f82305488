// A page that is installed as an application: a service worker has all of its parts before they are
// asked for, and what it fetches as soon as it was fetched.
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';

export default defineConfig({
  logLevel: 'error',
  worker: { format: 'es' },
  plugins: [VitePWA({
    registerType: 'autoUpdate',
    injectRegister: 'script-defer',
    manifest: { name: 'a single page', short_name: 'page', start_url: '/', icons: [] },
    workbox: {
      clientsClaim: true,
      skipWaiting: true,
      globPatterns: ['**/*.{js,css,html,svg}'],
      runtimeCaching: [{
        urlPattern: ({ url }) => url.pathname.startsWith('/api/'), handler: 'NetworkFirst',
      }],
    },
  })],
});
