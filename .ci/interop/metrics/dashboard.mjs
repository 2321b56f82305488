// dashboard.mjs types FILE: a program in TypeScript that compiles if the dashboard is one by the types of
// @grafana/schema: its own, and those of each panel's options and fields.
// dashboard.mjs queries FILE: its queries, one a line as JSON (title, expr), with the values that Grafana
// puts into variables.
import { readFileSync } from 'node:fs'

const [what, file] = process.argv.slice(2)
const dashboard = JSON.parse(readFileSync(file, 'utf8'))
const panels = dashboard.panels.filter((panel) => panel.type !== 'row')

if (what === 'queries') {
  for (const panel of panels) {
    for (const target of panel.targets) {
      const expr = target.expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h')
        .replaceAll('$job', '.*').replaceAll('$instance', '.*')
      console.log(JSON.stringify({ title: panel.title, expr }))
    }
  }
} else {
  const at = '@grafana/schema/dist/esm/raw/composable'
  console.log(`import type { Dashboard } from '@grafana/schema'
import type * as stat from '${at}/stat/panelcfg/x/StatPanelCfg_types.gen'
import type * as timeseries from '${at}/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen'
import type * as heatmap from '${at}/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen'

// Written as JSON, a member of an enumeration is its text.
type Plain<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Plain<U>[]
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T

export const dashboard: Plain<Dashboard> = ${JSON.stringify(dashboard)}`)
  for (const { id, type, options, fieldConfig } of panels) {
    const { custom } = fieldConfig.defaults
    console.log(`export const options${id}: Plain<${type}.Options> = ${JSON.stringify(options)}`)
    if (custom) console.log(`export const fields${id}: Plain<${type}.FieldConfig> = ${JSON.stringify(custom)}`)
  }
}
