// Answers hopcost's routes with Node's own modules: LINK:ADDRESS, the content's folder, seconds for an idle connection.
'use strict'

const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const path = require('node:path')

const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256' // what Go chooses

function main(listen = '', content = '.', keepaliveTimeoutS = '5') {
  const [, link, address] = listen.match(/^([a-z0-9]+\+[a-z]+):(.+)$/) ?? []
  const make = SERVERS[link] ?? fail(`${listen}: expected LINK:ADDRESS, LINK one of ${Object.keys(SERVERS).join(', ')}`)
  const server = make(answering(content))
  server.keepAliveTimeout = 1000 * Number(keepaliveTimeoutS)
  server.on('error', fail)
  server.listen(place(link, address))
  // Connections are kept alive: waiting for them to close would never end.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
}

const SERVERS = {
  'http+tcp': (answer) => http.createServer(answer),
  'http+unix': (answer) => http.createServer(answer),
  'https+tcp': (answer) => https.createServer(certificate(), answer),
  'http2+tls': (answer) => http2.createSecureServer({ ...certificate(), allowHTTP1: true }, answer),
}

function certificate() {
  return { cert: fs.readFileSync('tls.crt'), key: fs.readFileSync('tls.key'), ciphers: CIPHERS }
}

/** What server.listen takes. */
function place(link, address) {
  if (link === 'http+unix') return { path: address }
  const [, host, port] = address.match(/^(.*):(\d+)$/) ?? fail(`${address}: expected HOST:PORT`)
  return { host, port: Number(port) }
}

/** The routes, alike in all origins; the files are those of hopcost's content folder. A body is read to its end first. */
function answering(folder) {
  const routes = new Map()
  for (const [route, file, type] of [
    ['/', 'hello.txt', 'text/plain'],
    ['/512', '512.txt', 'text/plain'],
    ['/json', '1k.json', 'application/json'],
    ['/static.txt', 'static.txt', 'text/plain'],
  ]) {
    const body = fs.readFileSync(path.join(folder, file))
    routes.set(route, { body, head: { 'Content-Type': type, 'Content-Length': body.length } })
  }
  const missing = { body: '', head: { 'Content-Length': 0 } }
  return (request, response) => {
    const { body, head } = routes.get(request.url) ?? missing
    const answer = () => response.writeHead(body === '' ? 404 : 200, head).end(body)
    if (request.method === 'GET') answer()
    else request.resume().on('end', answer)
  }
}

function fail(why) {
  console.error(`node-hello: ${why.message ?? why}`)
  process.exit(1)
}

main(...process.argv.slice(2))
