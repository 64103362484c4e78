import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType } from '@opentelemetry/sdk-metrics';

/** Exports of a gauge only what the last poll found: a cumulative one would keep values that are gone. */
function temporalityOf(instrument: InstrumentType): AggregationTemporality {
  return instrument === InstrumentType.OBSERVABLE_GAUGE
    ? AggregationTemporality.DELTA
    : AggregationTemporality.CUMULATIVE;
}

/** Answers scrapes; listens nowhere by itself. */
export class GaugesAsFound extends PrometheusExporter {
  constructor() {
    super({ preventServerStart: true, withoutScopeInfo: true });
  }

  override selectAggregationTemporality(instrument: InstrumentType): AggregationTemporality {
    return temporalityOf(instrument);
  }
}

/** Sends to a collector. */
export class GaugesAsSent extends OTLPMetricExporter {
  override selectAggregationTemporality(instrument: InstrumentType): AggregationTemporality {
    return temporalityOf(instrument);
  }
}
