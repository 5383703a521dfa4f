{{- define "quintet.labels" -}}
app.kubernetes.io/name: quintet
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "quintet.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* No container may do more than it needs. */}}
{{- define "quintet.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "quintet.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Settings; secrets are named by their files. */}}
{{- define "quintet.env" -}}
- {name: SECRET_KEY_FILE, value: /run/secrets/quintet/secret-key}
- {name: DATABASE_URL_FILE, value: /run/secrets/quintet/database-url}
- {name: REDIS_URL_FILE, value: /run/secrets/quintet/redis-url}
{{- range .Values.optionalSecrets }}
- {name: {{ . | upper | replace "-" "_" }}_FILE, value: /run/secrets/quintet/{{ . }}}
{{- end }}
- {name: URL_PREFIX, value: {{ .Values.urlPrefix | quote }}}
- {name: HTTPS, value: "1"}
- {name: PROXIES, value: {{ .Values.proxies | quote }}}
{{- $origin := printf "https://%s" .Values.host }}
{{- $address := printf "%s%s" $origin .Values.urlPrefix }}
{{- $defaults := dict "ALLOWED_HOSTS" .Values.host "CSRF_TRUSTED_ORIGINS" $origin "PUBLIC_ADDRESS" $address "LOG_FORMAT" "json" }}
{{- range $name, $value := merge (dict) .Values.settings $defaults }}
{{- /* Numbers of a values file are floating-point: 2000000000 would be 2e+09. */}}
- {name: {{ $name }}, value: {{ if kindIs "float64" $value }}{{ printf "%.0f" $value | quote }}{{ else }}{{ $value | quote }}{{ end }}}
{{- end }}
{{- end }}

{{- define "quintet.volumeMounts" -}}
- {name: secrets, mountPath: /run/secrets/quintet, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "quintet.volumes" -}}
- name: tmp
  emptyDir: {}
- name: secrets
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 0440
    items:
      - {key: secret-key, path: secret-key}
      - {key: database-url, path: database-url}
      - {key: redis-url, path: redis-url}
      {{- range .Values.optionalSecrets }}
      - {key: {{ . }}, path: {{ . }}}
      {{- end }}
{{- end }}
