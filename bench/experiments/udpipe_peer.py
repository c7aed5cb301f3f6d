"""UDPipe 1 by its Python package; an environment of its own runs this file:

    udpipe_peer.py train TRAIN DEV TOKENIZER TAGGER PARSER MODEL    trains the parts whose options are not "none"
    udpipe_peer.py parse MODEL DATA PARSES     with gold tokens and tags; prints the processor time of parsing alone
    udpipe_peer.py annotate MODEL FORMAT DATA PARSES    FORMAT is tokenize for raw text or conllu for gold tokens;
                                                        prints the processor time without that of loading the model"""

import pathlib
import sys
import time

import ufal.udpipe as udpipe


def sentences(path):
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(pathlib.Path(path).read_text(encoding="utf-8"))
    read, error = [], udpipe.ProcessingError()
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        read.append(sentence)
    if error.occurred():
        sys.exit(f"{path}: {error.message}")
    return read


def train(training, dev, tokenizer, tagger, parser, model):
    error = udpipe.ProcessingError()
    made = udpipe.Trainer.train("morphodita_parsito", udpipe.Sentences(sentences(training)),
                                udpipe.Sentences(sentences(dev)), tokenizer, tagger, parser, error)
    if error.occurred():
        sys.exit(f"{training}: {error.message}")
    pathlib.Path(model).write_bytes(made)


def load(model):
    return udpipe.Model.load(str(model)) or sys.exit(f"{model}: cannot be loaded")


def annotate(model, form, data, parses):
    error, text = udpipe.ProcessingError(), pathlib.Path(data).read_text(encoding="utf-8")
    default = udpipe.Pipeline.DEFAULT
    loaded = load(model)  # The pipeline does not keep it alive.
    pipeline = udpipe.Pipeline(loaded, form, default, default, "conllu")
    started = time.process_time()
    found = pipeline.process(text, error)
    seconds = time.process_time() - started
    if error.occurred():
        sys.exit(f"{data}: {error.message}")
    pathlib.Path(parses).write_text(found, encoding="utf-8")
    print(f"{seconds:.3f}")


def parse(model, data, parses):
    loaded, error, read = load(model), udpipe.ProcessingError(), sentences(data)
    started = time.process_time()
    for sentence in read:
        if not loaded.parse(sentence, udpipe.Pipeline.DEFAULT, error):
            sys.exit(f"{data}: {error.message}")
    seconds = time.process_time() - started
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    pathlib.Path(parses).write_text("".join(map(writer.writeSentence, read)) + writer.finishDocument(), encoding="utf-8")
    print(f"{seconds:.3f}")


if __name__ == "__main__":
    {"train": train, "parse": parse, "annotate": annotate}[sys.argv[1]](*sys.argv[2:])
