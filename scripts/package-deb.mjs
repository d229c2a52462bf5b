// A Debian package of the unpacked app, made with dpkg-deb alone.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PROGRAM = 'xagent-connector-desktop';
const FOLDER = `/opt/${PROGRAM}`;

/**
 * @param {{ unpacked: string, manifest: { name: string, version: string, description: string }, icons: string, out: string }} parts
 */
export async function buildDeb({ unpacked, manifest, icons, out }) {
  const root = await mkdtemp(join(tmpdir(), 'xagent-connector-deb-'));
  await chmod(root, 0o755);
  const at = (place) => join(root, place);
  const write = async (place, text, mode = 0o644) => {
    await mkdir(dirname(at(place)), { recursive: true });
    await writeFile(at(place), text, { mode });
  };
  try {
    await mkdir(at('/opt'), { recursive: true });
    await cp(unpacked, at(FOLDER), { recursive: true, verbatimSymlinks: true });
    // Chromium's sandbox helper: where the kernel gives no user namespaces it has to be root's.
    await chmod(at(`${FOLDER}/chrome-sandbox`), 0o4755).catch(() => undefined);
    await mkdir(at('/usr/bin'), { recursive: true });
    await symlink(`${FOLDER}/${PROGRAM}`, at(`/usr/bin/${PROGRAM}`));
    await write(`/usr/share/applications/${PROGRAM}.desktop`, desktopEntry(manifest));
    for (const icon of readdirSync(icons).filter((name) => name.endsWith('.png'))) {
      const place = at(`/usr/share/icons/hicolor/${icon.replace('.png', '')}/apps/${PROGRAM}.png`);
      await mkdir(dirname(place), { recursive: true });
      await cp(join(icons, icon), place);
    }
    const licences = await readFile(join(unpacked, 'resources/licences.txt'), 'utf8');
    await write(`/usr/share/doc/${PROGRAM}/copyright`, licences);
    await write('/DEBIAN/control', control(manifest, await sizeOf(root), await facts()));
    const made = spawnSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, out], { stdio: 'inherit' });
    if (made.status !== 0) throw new Error('dpkg-deb failed');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** What the packager's own configuration says of a deb: one list for both ways to make one. */
async function facts() {
  const text = await readFile(new URL('../electron-builder.yml', import.meta.url), 'utf8');
  const deb = text.slice(text.indexOf('\ndeb:'));
  const list = (key) => {
    const found = new RegExp(`^ {2}${key}:\\n((?: {4}- .*\\n)+)`, 'm').exec(deb)?.[1] ?? '';
    return found.split('\n').flatMap((line) => (line.startsWith('    - ') ? [line.slice(6)] : []));
  };
  const maintainer = /^ {2}maintainer: (.*)$/m.exec(text)?.[1];
  return { depends: list('depends'), recommends: list('recommends'), maintainer };
}

function desktopEntry({ description }) {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Version=1.0',
    'Name=xAgent Connector',
    `Comment=${description}`,
    `Exec=${FOLDER}/${PROGRAM}`,
    `Icon=${PROGRAM}`,
    'Terminal=false',
    'Categories=Network;InstantMessaging;',
    `StartupWMClass=${PROGRAM}`,
    '',
  ].join('\n');
}

function control({ version, description }, kibibytes, { depends, recommends, maintainer }) {
  return [
    `Package: ${PROGRAM}`,
    `Version: ${version}`,
    'Architecture: amd64',
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kibibytes}`,
    'Section: net',
    'Priority: optional',
    `Depends: ${depends.join(', ')}`,
    `Recommends: ${recommends.join(', ')}`,
    `Description: ${description}`,
    '',
  ].join('\n');
}

async function sizeOf(folder) {
  const { stdout } = spawnSync('du', ['-sk', folder], { encoding: 'utf8' });
  return stdout.split('\t')[0];
}
