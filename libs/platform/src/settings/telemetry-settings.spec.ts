import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { telemetrySettings } from './telemetry-settings.js';

describe('the settings of telemetry', () => {
  it('switch everything off, and keep every trace, when nothing is said', () => {
    expect(telemetrySettings({})).toMatchObject({
      otlpEndpoint: undefined,
      metricsAddress: undefined,
      sampler: 'parentbased_traceidratio',
      samplerRatio: 1,
    });
  });

  it('read headers, and never print them', () => {
    const settings = telemetrySettings({
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hush, authorization=Basic%20aHVzaA%3D%3D',
    });
    expect(settings.otlpHeaders?.reveal()).toEqual({ 'api-key': 'hush', authorization: 'Basic aHVzaA==' });
    expect(inspect(settings, { depth: 9 }) + JSON.stringify(settings)).not.toMatch(/hush|aHVz/);
  });

  it('take an SDK that is said not to be disabled', () => {
    expect(telemetrySettings({ OTEL_SDK_DISABLED: 'false' }).metricsAddress).toBeUndefined();
  });

  it.each(['0', '0.25', '.5', '1', '1.0'])('take the ratio %s', (ratio) => {
    expect(telemetrySettings({ OTEL_TRACES_SAMPLER_ARG: ratio }).samplerRatio).toBe(Number(ratio));
  });

  it.each([
    ['OTEL_TRACES_SAMPLER_ARG', '1.01'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hush'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['METRICS_ADDRESS', '9464'],
    // The SDK reads it itself, and would leave /metrics empty.
    ['OTEL_SDK_DISABLED', 'true'],
    ['OTEL_SDK_DISABLED', ' TRUE '],
  ])('refuse %s=%s by its name', (name, value) => {
    expect(() => telemetrySettings({ [name]: value })).toThrow(name);
  });
});
