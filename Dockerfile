# Wheels are built apart, so that the compiler that some platforms need for TgCrypto is not in the image.
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY requirements.txt .
RUN pip wheel --no-cache-dir --wheel-dir /wheels -r requirements.txt

FROM python:3.11-slim
# curl is not in the slim image, so the health check uses Python; the certificates are for the TLS of proxies.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY requirements.txt /tmp/requirements.txt
RUN --mount=from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links=/wheels -r /tmp/requirements.txt
RUN useradd --uid 1000 --create-home bridge && mkdir /data && chown bridge:bridge /data
WORKDIR /app
COPY --chown=root:root *.py ./
COPY model model
COPY telegram telegram
COPY history history
COPY storage storage
COPY media_cache media_cache
COPY posts posts
COPY feeds feeds
COPY routes routes
# Nobody may write here later, so the bytecode is made now.
RUN python -m compileall -q .
USER bridge
ENV DATA_PATH=/data SESSION_PATH=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.build_opener(u.ProxyHandler({})).open(f\"http://127.0.0.1:{os.environ.get('API_PORT', '8000')}/ping\", timeout=4)"]
CMD ["python", "api_server.py"]
