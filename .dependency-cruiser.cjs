/**
 * The arrows of docs/architecture.md as rules: a room imports only what lies below it, so that the drawing can't rot.
 * desktop → host → server → connector → delivery → targets → files → store → protocol → base
 */
const ROOMS = ['base', 'protocol', 'store', 'files', 'targets', 'delivery', 'connector', 'server', 'host', 'desktop'];

/** One rule per room: it may not import any room above it. */
const downwards = ROOMS.slice(0, -1).map((room, index) => ({
  name: `${room}-imports-down`,
  comment: `src/${room} may import only the rooms below it.`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
  to: { path: `^src/(${ROOMS.slice(index + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...downwards,
    {
      name: 'agent-server-imports-down',
      comment: 'The AgentServer upstream stands beside server: neither knows the other.',
      severity: 'error',
      from: { path: '^src/agent-server/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(server|host|desktop|bridge)/' },
    },
    {
      name: 'agent-server-is-for-the-host',
      comment: 'It is composed by the host; what lies below knows it by a port of its own.',
      severity: 'error',
      from: { path: `^src/(${ROOMS.slice(0, ROOMS.indexOf('host')).join('|')}|e2a)/`, pathNot: '\\.test\\.ts$' },
      to: { path: '^src/agent-server/' },
    },
    {
      name: 'no-circular',
      comment: 'Two modules that import each other are one module.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only-desktop-imports-electron',
      comment: 'The host runs without Electron; only its desktop shell knows it.',
      severity: 'error',
      from: { path: '^(src|renderer|test)/', pathNot: '^(src/desktop/|src/main\\.ts$|test/e2e/)' },
      to: { path: ['node_modules/electron/', 'node_modules/electron-', '^electron$'] },
    },
    {
      name: 'bridge-is-for-its-two-ends',
      comment: 'The bridge contract is used by the host that serves it and by whoever shows it.',
      severity: 'error',
      from: { path: `^src/(${ROOMS.slice(0, ROOMS.indexOf('server')).join('|')})/` },
      to: { path: '^src/bridge/' },
    },
    {
      name: 'bridge-stands-alone',
      comment: 'A window that speaks the bridge must not pull the host in. Types of lower rooms are fine: they vanish.',
      severity: 'error',
      from: { path: '^src/bridge/' },
      to: { path: '^src/', pathNot: '^src/bridge/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'renderer-speaks-bridge-only',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^src/', pathNot: '^src/bridge/' },
    },
    {
      name: 'e2a-contract-is-pure',
      comment: 'The AgentServer contract stands beside protocol and does nothing but read and write.',
      severity: 'error',
      from: { path: '^src/e2a/', pathNot: '\\.test\\.ts$' },
      to: { path: `^src/(${ROOMS.slice(ROOMS.indexOf('store')).join('|')}|bridge)/` },
    },
    {
      name: 'one-network-does-not-know-another',
      severity: 'error',
      from: { path: '^src/targets/([^/]+)/' },
      to: { path: '^src/targets/([^/]+)/', pathNot: '^src/targets/($1|shared)/' },
    },
    {
      name: 'source-does-not-import-tests',
      severity: 'error',
      from: { path: '^(src|renderer)/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^test/|\\.test\\.tsx?$' },
    },
    {
      name: 'no-development-dependency-in-product',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(@types|electron)/',
      },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^electron$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
