/** Words in lines of at most `width` characters; a longer word gets a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  if (line !== '' || lines.length === 0) {
    lines.push(line);
  }
  return lines;
}

/** Wrapped with a mark before the first line and as much space before the others. */
export function hang(mark: string, text: string, width: number): string[] {
  return wrap(text, width - mark.length).map((line, index) =>
    index === 0 ? mark + line : ' '.repeat(mark.length) + line,
  );
}
