"""FMUs that several tests read, made once, and instances of them."""

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave

import gough
from gough.export import export_fmu

VERSIONS = ("3.0", "2.0")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fmus")


@pytest.fixture(scope="session")
def five_bar(folder):
    """{version: file} of the five-bar with forces from outside, and the folder it is unpacked to."""
    model, out = gough.build("five_bar"), {}
    for version in VERSIONS:
        file = export_fmu(model, folder / f"five_bar{version[0]}.fmu", version=version)
        out[version] = file, fmpy.extract(str(file), str(folder / f"unpacked{version[0]}"))
    return out


class Instance:
    """An instance with its variables by name. kind: "exchange" or "steps"."""

    def __init__(self, file, unpacked, kind):
        self.description = about = fmpy.read_model_description(str(file))
        self.references = {x.name: x.valueReference for x in about.modelVariables}
        self.three, own = about.fmiVersion == "3.0", about.modelExchange
        assert own is not None
        makes = {("steps", True): FMU3Slave, ("exchange", True): FMU3Model, ("steps", False): FMU2Slave}
        make = makes.get((kind, self.three), FMU2Model)
        self.fmu = make(
            guid=about.guid, unzipDirectory=unpacked, modelIdentifier=own.modelIdentifier, instanceName="one"
        )
        self.fmu.instantiate()

    def begin(self, start=0.0):
        if not self.three:
            self.fmu.setupExperiment(startTime=start)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=start)
        self.fmu.exitInitializationMode()

    def get(self, *names):
        read = self.fmu.getFloat64 if self.three else self.fmu.getReal
        return np.array(read([self.references[n] for n in names]))

    def put(self, **values):
        write = self.fmu.setFloat64 if self.three else self.fmu.setReal
        write([self.references[n] for n in values], list(values.values()))

    def step(self, t, h):
        return self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def keep(self):
        return self.fmu.getFMUState() if self.three else self.fmu.getFMUstate()

    def set_back(self, kept):
        (self.fmu.setFMUState if self.three else self.fmu.setFMUstate)(kept)

    def let_go(self, kept):
        (self.fmu.freeFMUState if self.three else self.fmu.freeFMUstate)(kept)

    def pack(self, kept):
        return (self.fmu.serializeFMUState if self.three else self.fmu.serializeFMUstate)(kept)

    def unpack(self, data):
        return (self.fmu.deserializeFMUState if self.three else self.fmu.deSerializeFMUstate)(data)


@pytest.fixture
def opened(five_bar):
    """Makes instances of the five-bar."""
    made = []

    def open_one(version="3.0", kind="steps"):
        file, unpacked = five_bar[version]
        made.append(Instance(file, unpacked, kind))
        return made[-1]

    yield open_one
    for one in made:
        one.fmu.freeInstance()
