// CommonJS on purpose: the package has no "type": "module", because what ships is CommonJS.
const js = require('@eslint/js');
const reactHooks = require('eslint-plugin-react-hooks');
const tseslint = require('typescript-eslint');

/** No file does two things: beyond this it is split (docs/architecture.md, Style). */
const MAX_LINES = 400;

const nodeGlobals = Object.fromEntries(
  [
    'process',
    'console',
    'Buffer',
    'URL',
    'setTimeout',
    'clearTimeout',
    'setImmediate',
    'performance',
    'fetch',
    'WebSocket',
  ].map((name) => [name, 'readonly']),
);

module.exports = tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'release/', 'coverage/', 'screenshots/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      'max-lines': ['error', { max: MAX_LINES, skipBlankLines: false, skipComments: false }],
      eqeqeq: ['error', 'always'],
      'no-restricted-globals': ['error', 'name', 'event'],
      // node: marks what is ours to patch and what is the platform.
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(fs|path|os|crypto|http|https|net|stream|util|events|url|child_process)(/|$)',
              message: 'Import it as node:….',
            },
          ],
        },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // `return void fn()` in one-line callbacks says that the result is meant to be dropped.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // A schema and the type made from it share one name.
      '@typescript-eslint/no-redeclare': 'off',
      'no-redeclare': 'off',
      // A method of a port is async by contract even where an implementation has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.test.ts', 'src/command-line.ts', 'src/host/cli/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: {
      // A test asserts that what it reaches for is there; the failure then is the test's.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['renderer/src/**/*.ts', 'renderer/src/**/*.tsx'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      'react-hooks/exhaustive-deps': 'error',
      'no-console': 'error',
      // The window is a page: what Node would give it is not there.
      'no-restricted-globals': ['error', 'name', 'event', 'process', 'Buffer', 'require', 'global', '__dirname'],
      // All text as text, and no style that a CSP without unsafe-inline would have to allow.
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Text is shown as text.' },
        { selector: "JSXAttribute[name.name='style']", message: 'Use a class, <progress> or an SVG attribute.' },
        { selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]', message: 'Text is shown as text.' },
        { selector: "MemberExpression[property.name='insertAdjacentHTML']", message: 'Text is shown as text.' },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs'],
    languageOptions: { globals: nodeGlobals },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { ...nodeGlobals, require: 'readonly', module: 'writable', __dirname: 'readonly' },
    },
  },
);
