// A dashboard of ours in the types of Grafana's own schema, narrowed to the panels that we use. scripts/check-deploy gives every dashboard to the
// TypeScript compiler as a value of this type: a field that Grafana does not know, a word that it does not know and a value of another kind are
// errors.
import type { DataQuery } from '@grafana/schema'
import type {
  AnnotationQuery,
  Dashboard as Any,
  DataSourceRef,
  FieldConfig,
  Panel,
  RowPanel,
  VariableModel,
} from '@grafana/schema/dist/esm/raw/dashboard/x/Dashboard_types.gen'
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen'
import type {
  FieldConfig as TimeSeriesStyle,
  Options as TimeSeriesOptions,
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen'

/** A type as JSON has it: words and numbers where the schema has enumerations. */
type Json<T> = T extends string
  ? `${T}`
  : T extends number
    ? `${T}` extends `${infer N extends number}`
      ? N
      : number
    : T extends (infer Item)[]
      ? Json<Item>[]
      : T extends object
        ? { [Field in keyof T]: Json<T[Field]> }
        : T

/** What Grafana fills in with defaults. */
type Partly<T> = T extends unknown[] ? T : T extends object ? { [Field in keyof T]?: Partly<T[Field]> } : T

/** A query of Prometheus, whose type the schema leaves to the plug-in. */
type Query = Omit<Json<DataQuery>, 'datasource'> & {
  datasource: Json<DataSourceRef>
  expr: string
  legendFormat?: string
  editorMode?: 'code' | 'builder'
  format?: 'time_series' | 'table' | 'heatmap'
  range?: boolean
  instant?: boolean
  exemplar?: boolean
  interval?: string
}

type Style<Custom> = {
  defaults: Json<Omit<FieldConfig, 'custom'>> & { custom?: Json<Custom> }
  overrides: { matcher: { id: string; options?: string }; properties: { id: string; value?: unknown }[] }[]
}

type Typed<Type extends string, Options, Custom> = Json<Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets' | 'gridPos'>> & {
  type: Type
  gridPos: { h: number; w: number; x: number; y: number }
  options: Json<Partly<Options>>
  fieldConfig: Style<Custom>
  targets: Query[]
}

type Row = Json<Omit<RowPanel, 'panels' | 'gridPos'>> & { gridPos: { h: number; w: number; x: number; y: number }; panels: [] }

type Variable = Omit<Json<VariableModel>, 'query' | 'current'> & {
  query: string | { query: string; refId: string }
  /** The query in words, which Grafana's editor writes; only its schema v2 names it. */
  definition?: string
  current: { selected?: boolean; text?: string | string[]; value?: string | string[] }
}

/** A query of Prometheus for marks on graphs. The schema leaves its fields to the plug-in, which names them so. */
type Annotation = Json<AnnotationQuery> & {
  expr: string
  step?: string
  titleFormat?: string
  textFormat?: string
  useValueForTime?: boolean
}

export type Dashboard = Omit<Json<Any>, 'annotations' | 'panels' | 'templating'> & {
  annotations: { list: Annotation[] }
  panels: (Row | Typed<'stat', StatOptions, Record<string, never>> | Typed<'timeseries', TimeSeriesOptions, TimeSeriesStyle>)[]
  templating: { list: Variable[] }
}
