import { TEXTS } from '../texts.js';
import { type Preset, PRESETS } from './presets.js';

interface PresetChoiceProps {
  readonly chosen: Preset | undefined;
  readonly onChoose: (preset: Preset) => void;
}

/** Offers the presets. */
export function PresetChoice({ chosen, onChoose }: PresetChoiceProps) {
  return (
    <fieldset className="presets">
      <legend>{TEXTS.limits.presets}</legend>
      {PRESETS.map((preset) => (
        <label key={preset} className="preset">
          <input
            type="radio"
            name="preset"
            value={preset}
            checked={preset === chosen}
            onChange={() => onChoose(preset)}
          />
          <strong>{TEXTS.limits.presetTexts[preset].label}</strong>
          <span>{TEXTS.limits.presetTexts[preset].text}</span>
        </label>
      ))}
    </fieldset>
  );
}
