// What ESLint holds against the scripts of the live page and of its checks: names that nobody has made, and
// such as nobody uses. It finds its own packages where ESLINT says.
import { createRequire } from 'node:module';

const globals = createRequire(`${process.env.ESLINT}/`)('globals');
const rules = {
  'no-undef': 'error', 'no-unused-vars': 'error', 'no-const-assign': 'error', 'no-dupe-keys': 'error',
  'no-import-assign': 'error', 'no-unreachable': 'error',
};
// What is evaluated in a page stands in the scripts of Node.js, too.
const both = { ...globals.node, ...globals.browser };

export default [
  { ignores: ['**/vendor/**'] },
  { files: ['proxy/admin/live/assets/**/*.js'], languageOptions: { globals: globals.browser }, rules },
  { files: ['.ci/interop/live/**/*.mjs'], languageOptions: { globals: both }, rules },
];
