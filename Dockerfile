# docker build -t verifier . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/campaign" verifier check ucblvd
FROM python:3.12-slim
# dependencies are a layer of their own, which a change of the sources leaves as it is
COPY pyproject.toml /opt/dependencies/
RUN python -c "import tomllib; print(*tomllib.load(open('/opt/dependencies/pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" \
    > /opt/dependencies/list && pip install --no-cache-dir -r /opt/dependencies/list
COPY . /opt/verifier
RUN pip install --no-cache-dir /opt/verifier && mkdir --mode=777 /campaign
# whoever runs it: reports and finished trials are theirs, in the folder that is mounted
ENV HOME=/tmp
USER nobody
WORKDIR /campaign
ENTRYPOINT ["verifier"]
CMD ["--help"]
