// What a Prometheus server makes of a recorder that it scrapes: server.mjs WHAT PROMETHEUS ADDRESS TOKEN
//
//   load FILE   while it is recorded: it is up, each query of the dashboard in FILE has an answer, each rule
//               is evaluated, and no alert is there
//   rest        nothing is recorded any more: its series are those of /metrics, which are those of /status
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const [what, prometheus, address, token, dashboard] = process.argv.slice(2)
const ok = (fine, name, more = '') => console.log(fine ? `ok - ${name}` : `not ok - ${name}: ${more}`.slice(0, 400))

async function ask(path, parameters = {}) {
  const answer = await fetch(`${prometheus}/api/v1/${path}?${new URLSearchParams(parameters)}`)
  const { status, data, error } = await answer.json()
  if (status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${error}`)
  return data
}
const own = (path) => fetch(`http://${address}${path}`, { headers: { Authorization: `Bearer ${token}` } })

// until calls look until it is true, for some time.
async function until(look) {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) if (await look()) return true
  return false
}

// These have nothing to show: there is no other archive, no verify, no job, no gap.
const empty = ['Other archives', 'Last verify', 'Since the last verify', 'Jobs', 'Gaps of the collection']

async function load() {
  const isUp = async () => (await ask('query', { query: 'up{job="warcorder"}' })).result[0]?.value[1] === '1'
  ok(await until(isUp), 'Prometheus scrapes the recorder with the token: up is 1')
  await until(async () => // two scrapes make a rate
    (await ask('query', { query: 'rate(warcorder_exchanges_total{result="recorded"}[1m]) > 0' })).result.length > 0)
  const lines = execFileSync('node', [`${import.meta.dirname ?? new URL('.', import.meta.url).pathname}/dashboard.mjs`,
    'queries', dashboard], { encoding: 'utf8' }).trim().split('\n').map((line) => JSON.parse(line))
  const wrong = []
  for (const { title, expr } of lines) {
    try {
      const { result } = await ask('query', { query: expr })
      if (result.length === 0 && !empty.includes(title)) wrong.push(`${title} has nothing: ${expr}`)
      const end = Date.now() / 1000
      await ask('query_range', { query: expr, start: end - 60, end, step: 15 })
    } catch (error) {
      wrong.push(String(error))
    }
  }
  ok(wrong.length === 0 && lines.length > 50, `${lines.length} queries of the dashboard have answers`, wrong.join('; '))
  const rules = (await ask('rules')).groups.flatMap((group) => group.rules)
  const bad = rules.filter((rule) => rule.health === 'err' || rule.state === 'firing')
  ok(rules.length >= 20 && bad.length === 0, `${rules.length} rules are evaluated, and no alert is there`,
    JSON.stringify(bad))
}

// What each scrape changes itself, or time does.
const moves = /^warcorder_(client_connections(_taken_total)?|disk_.*|(push|upload)_lag_seconds)$/

// seriesOf is the lines of /metrics that are ours: values by name and labels in their order.
function seriesOf(text) {
  const series = new Map()
  for (const line of text.split('\n')) {
    const [, name, labels, value] = line.match(/^(warcorder_[a-z_]+)(?:\{(.*)\})? (\S+)$/) ?? []
    if (name && !moves.test(name)) series.set(`${name}{${labels ?? ''}}`, Number(value.replace('Inf', 'Infinity')))
  }
  return series
}

// stored is the same of what Prometheus has of it.
async function stored() {
  const series = new Map()
  for (const { metric, value } of (await ask('query', { query: '{__name__=~"warcorder_.+"}' })).result) {
    const { __name__: name, job, instance, ...labels } = metric
    const text = Object.entries(labels).sort().map(([label, text]) => `${label}="${text}"`).join(',')
    if (!moves.test(name)) series.set(`${name}{${text}}`, Number(value[1].replace('Inf', 'Infinity')))
  }
  return series
}

async function rest() {
  let lacks = []
  const same = async () => {
    const [ours, theirs] = [seriesOf(await (await own('/metrics')).text()), await stored()]
    lacks = [...ours].filter(([name, value]) => theirs.get(name) !== value)
    return lacks.length === 0 && ours.size > 100 && ours.size === theirs.size
  }
  ok(await until(same), 'Prometheus has each series of /metrics, with its value', JSON.stringify(lacks))
  const [metrics, status] = [seriesOf(await (await own('/metrics')).text()), await (await own('/status')).json()]
  const wrong = Object.entries({
    'exchanges_total{result="recorded"}': status.exchanges, 'exchanges_total{result="lost"}': status.lost,
    'written_bytes_total{}': status.bytes, 'captures_total{}': status.captures, 'revisits_total{}': status.revisits,
    'commit_duration_seconds_count{}': status.exchanges, 'collection_captures{}': status.totals.captures,
    'collection_bytes{}': status.totals.bytes, 'completions_total{result="whole"}': status.completions.whole,
    'refusals_total{kind="forbidden"}': status.refusals.total.forbidden ?? 0,
    'gaps_total{reason="upstream"}': status.gaps.upstream ?? 0,
  }).filter(([name, value]) => metrics.get(`warcorder_${name}`) !== value)
  ok(wrong.length === 0 && status.exchanges > 100, `/metrics is as /status, of ${status.exchanges} exchanges`,
    JSON.stringify(wrong))
}

await (what === 'load' ? load() : rest())
