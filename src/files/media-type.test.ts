import { describe, expect, it } from 'vitest';
import { decideMediaType, UNKNOWN_MIME_TYPE } from './media-type.js';

const raw = (text: string): Buffer => Buffer.from(text, 'latin1');
const iso = (brand: string): Buffer => raw(`\0\0\0\x20ftyp${brand}\0\0\0\0isom`);

const KINDS: [string, Buffer, string, string][] = [
  ['PNG', raw('\x89PNG\r\n\x1a\n....'), 'image/png', 'image'],
  ['JPEG', raw('\xff\xd8\xff\xe0\0\x10JFIF'), 'image/jpeg', 'image'],
  ['GIF', raw('GIF89a....'), 'image/gif', 'image'],
  ['WebP', raw('RIFF\0\0\0\0WEBPVP8 '), 'image/webp', 'image'],
  ['BMP', Buffer.concat([raw('BM'), Buffer.alloc(12), Buffer.from([40, 0, 0, 0])]), 'image/bmp', 'image'],
  ['TIFF', raw('II*\0....'), 'image/tiff', 'image'],
  ['HEIC', iso('heic'), 'image/heic', 'image'],
  ['AVIF', iso('avif'), 'image/avif', 'image'],
  ['MP4', iso('isom'), 'video/mp4', 'video'],
  ['QuickTime', iso('qt  '), 'video/quicktime', 'video'],
  ['3GP', iso('3gp4'), 'video/3gpp', 'video'],
  ['M4A', iso('M4A '), 'audio/mp4', 'audio'],
  ['WebM', raw('\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm'), 'video/webm', 'video'],
  ['Matroska', raw('\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska'), 'video/x-matroska', 'video'],
  ['AVI', raw('RIFF\0\0\0\0AVI LIST'), 'video/x-msvideo', 'video'],
  ['Opus in Ogg', raw('OggS\0\x02..........................OpusHead'), 'audio/ogg', 'audio'],
  ['Theora in Ogg', raw('OggS\0\x02..........................\x80theora'), 'video/ogg', 'video'],
  ['MP3 with a tag', raw('ID3\x04\0\0....'), 'audio/mpeg', 'audio'],
  ['MP3 without one', raw('\xff\xfb\x90\x64...'), 'audio/mpeg', 'audio'],
  ['AAC', raw('\xff\xf1\x50\x80...'), 'audio/aac', 'audio'],
  ['FLAC', raw('fLaC\0\0\0\x22'), 'audio/flac', 'audio'],
  ['WAV', raw('RIFF\0\0\0\0WAVEfmt '), 'audio/wav', 'audio'],
  ['AMR', raw('#!AMR\n...'), 'audio/amr', 'audio'],
  ['SILK as WeChat sends it', raw('\x02#!SILK_V3...'), 'audio/silk', 'audio'],
  ['PDF', raw('%PDF-1.7\n'), 'application/pdf', 'file'],
];

describe('what a file is', () => {
  it.each(KINDS)('%s is told by its bytes, without a word from its sender', (_name, head, mimeType, fileType) => {
    expect(decideMediaType(head, undefined, undefined)).toEqual({ mimeType, fileType });
  });

  it.each(KINDS)('%s stays what it is when its sender calls it something else', (_name, head, mimeType, fileType) => {
    expect(decideMediaType(head, 'text/html; charset=utf-8', 'page.html')).toEqual({ mimeType, fileType });
  });

  it.each([
    ['a container that may hold only sound', iso('isom'), 'audio/mp4', 'audio'],
    ['sound in a video container', raw('\x1a\x45\xdf\xa3...webm'), 'audio/webm', 'audio'],
    ['another name of the same thing', raw('RIFF\0\0\0\0WAVE'), 'audio/x-wav', 'audio'],
  ])('its sender is believed about %s', (_name, head, mimeType, fileType) => {
    expect(decideMediaType(head, mimeType, undefined)).toEqual({ mimeType, fileType });
  });

  it.each([
    ['image/png', 'hello'],
    ['IMAGE/JPEG', 'MZ\x90\0'],
    ['application/pdf', '<html>'],
    ['video/mp4', 'not a video'],
    ['text/plain', 'MZ\x90\0\x03\0'],
  ])('bytes that contradict %s make it an unknown file', (declared, content) => {
    expect(decideMediaType(raw(content), declared, 'x.png')).toEqual({ mimeType: UNKNOWN_MIME_TYPE, fileType: 'file' });
  });

  it.each([
    ['text/plain; charset=utf-8', undefined, 'text/plain', 'file'],
    ['application/zip', undefined, 'application/zip', 'file'],
    ['video/x-something-new', undefined, 'video/x-something-new', 'video'],
    [
      'application/octet-stream',
      'Report.DOCX',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'file',
    ],
    [undefined, 'notes.md', 'text/markdown', 'file'],
    [undefined, 'unknown.kind', UNKNOWN_MIME_TYPE, 'file'],
    ['no type at all', undefined, UNKNOWN_MIME_TYPE, 'file'],
    ['text/html\r\nX-Evil: 1', undefined, UNKNOWN_MIME_TYPE, 'file'],
  ])('declared %s and named %s, without a known signature, it is %s', (declared, filename, mimeType, fileType) => {
    expect(decideMediaType(raw('some bytes'), declared, filename)).toEqual({ mimeType, fileType });
  });

  it('a drawing that is a program is no picture', () => {
    const drawing = { mimeType: 'image/svg+xml', fileType: 'file' };
    expect(decideMediaType(raw('<svg onload="x()">'), 'image/svg+xml', undefined)).toEqual(drawing);
  });

  it.each(['fffe', 'feff', '0000feff'])('text of wide characters, marked %s, is text and no sound', (mark) => {
    const head = Buffer.concat([Buffer.from(mark, 'hex'), Buffer.from('hello', 'utf16le')]);
    expect(decideMediaType(head, 'text/plain', undefined)).toEqual({ mimeType: 'text/plain', fileType: 'file' });
  });
});
