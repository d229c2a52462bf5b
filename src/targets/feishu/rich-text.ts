import { arrayOf, fieldsOf, isRecord, textOf, type Fields } from '../json-fields.js';

/** A rich text as plain text, and the keys of what it shows. */
export interface Post {
  readonly text: string;
  readonly images: readonly string[];
  readonly videos: readonly string[];
}

/** Reads a `post`: a title and lines of elements. An event holds it bare, other sources by language. */
export function readPost(content: Fields): Post {
  const post = bodyOf(content);
  const images: string[] = [];
  const videos: string[] = [];
  const lines = arrayOf(post['content']).map((line) =>
    arrayOf(line)
      .map((element) => readElement(fieldsOf(element), images, videos))
      .join(''),
  );
  // A line that holds nothing but pictures leaves no words behind.
  const words = lines.filter((line, index) => line !== '' || isBlankLine(arrayOf(post['content'])[index]));
  const title = textOf(post['title']);
  return { text: [...(title === undefined ? [] : [title]), ...words].join('\n'), images, videos };
}

function bodyOf(content: Fields): Fields {
  if (Array.isArray(content['content'])) return content;
  return (
    Object.values(content).find((value): value is Fields => isRecord(value) && Array.isArray(value['content'])) ?? {}
  );
}

function isBlankLine(line: unknown): boolean {
  return arrayOf(line).every((element) => !['img', 'media'].includes(textOf(fieldsOf(element)['tag']) ?? ''));
}

function readElement(element: Fields, images: string[], videos: string[]): string {
  const text = typeof element['text'] === 'string' ? element['text'] : '';
  switch (element['tag']) {
    case 'a': {
      const href = textOf(element['href']);
      if (href === undefined || href === text) return text;
      return text === '' ? href : `${text} (${href})`;
    }
    case 'at':
      // The event lists who is meant by the key that stands here.
      return textOf(element['user_id']) ?? `@${textOf(element['user_name']) ?? ''}`;
    case 'img':
      push(images, element['image_key']);
      return '';
    case 'media':
      push(videos, element['file_key']);
      return '';
    case 'emotion':
      return `[${textOf(element['emoji_type']) ?? 'emoji'}]`;
    case 'code_block':
      return `\`\`\`${textOf(element['language'])?.toLowerCase() ?? ''}\n${text.replace(/\n?$/, '\n')}\`\`\``;
    case 'hr':
      return '---';
    default:
      return text;
  }
}

function push(keys: string[], key: unknown): void {
  const text = textOf(key);
  if (text !== undefined) keys.push(text);
}
