// SPDX-License-Identifier: Apache-2.0
// What HtmlPage (analyzer/web/page.cc) put into the page.

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export async function readData<T>(id: string): Promise<T> {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`this page holds no ${id}`);
  const packed = new Blob([bytesOf(element.textContent ?? "")]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  const data = (await new Response(stream).json()) as T;
  element.remove();  // the text is not needed twice
  return data;
}
