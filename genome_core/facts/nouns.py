"""Kinds of nouns: what a noun phrase can stand for (a place, a job, a pet, a car ...), by its head word and by known names.

Lists of common words, not a gazetteer of everything: an unknown capitalised name has the kind ``name`` only, and the phrase
around it decides what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from genome_core.facts.given_names import MORE_FEMALE, MORE_MALE
from genome_core.facts.towns import TOWNS, TWO_WORD_TOWNS
from genome_core.facts.words import singular

KINDS: dict[str, str] = {
    "settlement": "city town village hamlet suburb countryside island neighbourhood neighborhood district outskirts",
    "family": "family household kids children folks",
    "baby": "baby newborn twins triplets",
    "contract": "contract papers",
    "allergic": "intolerant allergic",
    "meals": "meat fish",
    "place": (
        "city town village country capital countryside coast island suburb suburbs district neighbourhood neighborhood province county region state seaside outskirts hometown"
    ),
    "house": "house flat apartment apt place home studio condo loft cottage bungalow townhouse penthouse room bedsit houseshare flatshare farmhouse cabin duplex maisonette villa houseboat narrowboat annexe annex bed building pad digs unit address lodgings dorm terrace terraced semi duplex",
    "job": "job role position gig post offer internship apprenticeship traineeship placement fellowship residency stint secondment",
    "role": (
        "cabin-crew "
        "accountant actor actress actuary administrator adviser advisor agent analyst anaesthetist animator apprentice archaeologist architect archivist artist assistant astronaut astronomer "
        "attorney auditor author baker banker barber barista barman bartender biologist bookkeeper bookseller bricklayer broker builder butcher captain caretaker carer caregiver carpenter cashier "
        "chauffeur chef chemist chiropractor choreographer cinematographer cleaner clerk coach columnist comedian composer conductor conservator consultant contractor controller cook coordinator co-ordinator "
        "copywriter councillor counsellor counselor courier crew curator dancer dealer dentist designer detective developer dietician dietitian director dispatcher diver dj doctor doula "
        "draughtsman dressmaker driver ecologist economist editor electrician engineer entrepreneur epidemiologist estimator executive farmer farrier filmmaker firefighter fireman fisherman fitter florist "
        "foreman forester founder cofounder co-founder freelancer fundraiser gardener geologist geneticist glazier goldsmith governor graphic groomer guard guide hairdresser handyman head headteacher headmaster historian housekeeper "
        "hygienist illustrator influencer inspector instructor intern interpreter investigator janitor jeweller jeweler joiner journalist judge keeper labourer laborer landscaper lawyer leader lecturer lector "
        "librarian lifeguard linguist locksmith machinist magician maintainer manager marketer mason mathematician mechanic mediator meteorologist metalworker microbiologist midwife milkman miner minister monk mp "
        "musician nanny neurologist novelist nun nurse nutritionist officer operator optician optometrist organiser organizer owner painter paralegal paramedic partner pastor pathologist pediatrician paediatrician pharmacist "
        "philosopher photographer physicist physician physio physiotherapist pianist pilot planner plasterer plumber podiatrist poet policeman policewoman politician porter postdoc postman potter president "
        "presenter priest principal printer prison producer professor programmer proofreader prosecutor psychiatrist psychologist psychotherapist publicist rabbi radiographer radiologist ranger realtor receptionist recruiter "
        "referee reporter rep representative researcher restaurateur retiree roofer sailor salesman salesperson saleswoman scaffolder scientist screenwriter sculptor seamstress secretary sergeant server setter shepherd "
        "shopkeeper singer social-worker sociologist soldier solicitor sommelier specialist stagehand statistician steward stewardess stockbroker strategist streamer student stylist supervisor surgeon surveyor "
        "tailor tattooist teacher technician temp tester therapist tiler trader trainee trainer translator treasurer tutor tv-presenter typist underwriter undertaker upholsterer usher vet veterinarian vicar videographer "
        "violinist vp waiter waitress warden watchmaker welder woodworker worker writer youtuber zookeeper zoologist ceo cto cfo coo cmo sysadmin freelance self-employed freelancing lead bellhop mayor senator paramedic anesthetist sous-chef "
        "dishwasher cellist drummer ux-designer cabinetmaker blacksmith cobbler chairman chairwoman chair auctioneer ombudsman buyer merchandiser beekeeper winemaker brewer distiller attendant tuner milliner vintner trucker cabbie understudy custodian phlebotomist sonographer ophthalmologist orthodontist signwriter thatcher gamekeeper picker packer sweeper croupier bouncer doorman concierge busker copyeditor sub-editor ghostwriter subtitler arborist horticulturist botanist pensioner postie bricky sparky landlord landlady"
    ),
    "car": (
        "car van minivan truck pickup suv hatchback saloon sedan estate convertible coupe motorbike motorcycle scooter moped campervan camper motorhome jeep lorry ev hybrid ute limousine "
        "vw volkswagen toyota honda ford fiat audi bmw mercedes skoda seat kia hyundai nissan mazda volvo renault peugeot citroen citroën vauxhall opel dacia subaru tesla porsche ferrari lamborghini jaguar "
        "lexus suzuki mitsubishi chevrolet chevy dodge chrysler buick cadillac rivian lucid polestar byd mg saab alfa yamaha vespa ducati kawasaki triumph harley lambretta "
        "golf polo fiesta focus corsa astra civic accord corolla yaris camry prius rav4 octavia fabia superb passat tiguan clio megane twingo zoe leaf micra qashqai juke niro picanto sportage ceed sorento i10 i20 i30 tucson kona "
        "panda punto mini mustang wrangler outback forester impreza mx-5 mx5 miata swift jimny duster sandero berlingo c3 c4 208 308 kangoo corvette camaro f-150 f150 tacoma tundra silverado cr-v crv hr-v jazz model-y model-3 cybertruck id3 id.3 id.4 defender discovery "
        "cooper beetle transit sprinter caddy touran ibiza leon ateca arona kodiaq karoq kuga puma mondeo xc40 xc60 v60 v40 s60 a3 a4 a6 q5 x1 x3 up aygo ka 2cv elantra sonata altima sentra explorer escape bronco tahoe malibu impala cayenne boxster pajero outlander hilux ranger"
    ),
    "bike": "bike bicycle e-bike ebike cargobike brompton tandem gravelbike roadbike",
    "phone": "phone iphone pixel galaxy fairphone oneplus smartphone samsung xiaomi huawei nokia motorola blackberry android oppo realme redmi razr handset flip",
    "computer": "laptop macbook thinkpad pc desktop chromebook imac ipad tablet kindle surface computer dell lenovo monitor workstation framework",
    "console": "ps5 ps4 playstation xbox switch nintendo steamdeck console camera canon nikon fujifilm leica drone telescope printer",
    "instrument": "guitar bass piano violin cello drums drum keyboard synth ukulele banjo saxophone sax trumpet flute clarinet harp accordion viola trombone oboe harmonica mandolin recorder bagpipes fiddle organ percussion",
    "boat": "boat sailboat yacht canoe kayak dinghy barge caravan allotment greenhouse motorboat rv trailer",
    "pet": (
        "dog dogs cat cats puppy pup kitten hamster rabbit bunny guinea-pig gerbil parrot budgie budgerigar canary cockatiel tortoise turtle goldfish fish snake gecko lizard iguana hedgehog ferret rat mouse dragon axolotl chinchilla degu alpaca llama sheep lamb pig piglet bees koi terrapin stick-insect tabby moggy lurcher spaniel collie horse pony donkey chicken hen hens duck goat "
        "greyhound whippet lurcher labrador lab retriever spaniel poodle beagle terrier collie corgi dachshund sausage-dog pug bulldog boxer rottweiler dobermann doberman husky malamute dalmatian chihuahua pomeranian schnauzer shepherd alsatian "
        "setter pointer weimaraner vizsla cockapoo labradoodle cavapoo goldendoodle mutt mongrel hound kelpie staffie westie jackrussell shih-tzu maltese akita shiba samoyed mastiff newfoundland tabby siamese persian ragdoll bengal tomcat moggy tarantula axolotl chinchilla cockatoo macaw lovebird "
        "rescue alpaca llama sheep pig piglet kitty doggo pooch parakeet budgies frog salamander newfie frenchie"
    ),
    "diet": "vegan vegetarian veggie pescatarian pescetarian keto paleo carnivore omnivore flexitarian halal kosher gluten-free dairy-free teetotal teetotaller sugar-free plant-based low-carb meat-free fruitarian whole30 sober macrobiotic lactose-free",
    "status": "single married engaged divorced widowed separated widow widower bachelor unmarried",
    "health": (
        "asthma diabetes diabetic asthmatic coeliac celiac epilepsy epileptic migraine migraines arthritis eczema psoriasis adhd autism autistic dyslexia dyslexic depression anxiety insomnia ibs crohn crohns endometriosis hypertension anaemia anemia "
        "cancer tinnitus sciatica anemic anaemic pregnant lupus fibromyalgia gout glaucoma cataracts tendonitis lyme dementia alzheimer alzheimers parkinson parkinsons pcos pots ms copd sclerosis apnoea apnea intolerance thyroid hypothyroidism hyperthyroidism bipolar ocd ptsd arrhythmia angina hernia vertigo rosacea narcolepsy haemophilia hemophilia shingles bursitis rheumatism osteoporosis scoliosis bronchitis emphysema"
    ),
    "gym": "gym crossfit puregym equinox ymca fitness anytime-fitness bouldering dojo leisure-centre pilates f45 orangetheory barry's dojo studio",
    "school": "school university college uni academy primary kindergarten nursery preschool polytechnic institute lyceum gymnasium high-school grammar conservatory bootcamp seminary sixth-form faculty kita daycare creche montessori mit ucla ucl lse nyu eth caltech oxford cambridge harvard yale stanford princeton",
    "course": "course degree masters master's phd bachelor's bachelors diploma doctorate mba programme program class classes certificate apprenticeship a-levels evening-course",
    "subject": (
        "law medicine engineering economics physics chemistry biology maths math mathematics history philosophy psychology sociology nursing architecture literature linguistics accounting finance marketing business music art theology geography geology "
        "journalism archaeology anthropology astronomy pharmacy dentistry statistics politics design film theatre drama photography computing informatics science robotics neuroscience education divinity genetics ecology classics criminology midwifery translation"
    ),
    "club": "club society team squad choir league band orchestra association union committee board guild scouts library church parish mosque synagogue chapter troupe ensemble quartet co-op coop cooperative troop brigade forum fellowship lodge circle federation syndicate collective network group",
    "band": "band orchestra choir quartet ensemble trio",
    "org": (
        "bistro company firm startup start-up agency bank nonprofit non-profit charity ngo hospital clinic practice surgery restaurant cafe café bakery bar pub brewery hotel shop store bookshop bookstore supermarket warehouse factory plant mill shipyard "
        "garage library museum gallery theatre theater newspaper magazine paper publisher studio lab laboratory university college school council ministry embassy court police army navy foundation institute consultancy consultants builders corporation "
        "business salon barbershop florist nursery farm vineyard winery winemaker zoo airport airline railway post-office pharmacy distillery fintech cooperative co-op scale-up scaleup accountancy brokerage insurer broker consulting law-firm call-centre call-center depot kitchen dealership retailer manufacturer group team office department service services force authority trust network centre center city-hall "
        "google amazon microsoft apple netflix meta facebook ibm stripe spotify klarna deloitte pwc kpmg nhs ikea siemens bosch shell tesco sainsbury's lidl aldi walmart target starbucks costa oracle nvidia intel uber airbnb bbc nasa accenture mckinsey airbus boeing ryanair lego philips sap adobe salesforce twitter tiktok dropbox shopify vodafone bpost unilever nestle pfizer astrazeneca novartis roche hsbc barclays santander monzo revolut jpmorgan goldman aquarium post-office council-office bookies chippy nursing-home care-home hospice laundrette dairy quarry refinery foundry cinema spa kennel kennels sawmill gasworks steelworks brickworks ironworks waterworks boatyard dockyard smokehouse tannery cannery creamery abattoir registry observatorys vets stables garden-centre marina dockyard observatory courthouse town-hall"
    ),
    "provider": "vodafone giffgaff o2 ee t-mobile verizon at&t telekom monzo revolut hsbc barclays natwest santander starling chase lloyds n26 netflix spotify disney+ hulu audible hellofresh dropbox icloud substack patreon duolingo strava peloton adobe kindle-unlimited bank broadband insurer internet energy lebara smarty tesco-mobile voxi lycamobile airtel jio octopus ovo edf sky virgin plusnet talktalk britbox now-tv paramount+ tidal deezer geico aviva axa wise n26 bunq ing rabobank nationwide halifax-bank comcast xfinity",
    "language": (
        "english french german spanish italian portuguese dutch swedish norwegian danish finnish polish russian ukrainian czech slovak hungarian romanian bulgarian greek turkish arabic hebrew persian farsi hindi urdu bengali punjabi tamil telugu "
        "mandarin cantonese chinese japanese korean vietnamese thai indonesian malay tagalog swahili zulu yoruba igbo hausa amharic welsh irish gaelic catalan basque galician croatian serbian slovenian albanian estonian latvian lithuanian icelandic latin esperanto bsl asl frisian breton maltese luxembourgish afrikaans xhosa somali kurdish pashto nepali sinhala khmer lao burmese mongolian kazakh uzbek armenian georgian azeri macedonian bosnian kannada malayalam marathi gujarati odia assamese konkani sindhi tigrinya oromo wolof twi shona quechua guarani flemish scots cornish manx hokkien hakka filipino tibetan uyghur uzbek belarusian moldovan faroese yiddish"
    ),
    "food": (
        "sushi ramen pho curry pizza pasta tacos taco barbecue bbq burger burgers noodles dumplings risotto lasagne lasagna falafel hummus kebab burrito burritos salad soup steak chocolate cheese bread coffee tea wine beer gin whisky cake "
        "ice-cream icecream pancakes waffles croissants olives mushrooms coriander cilantro seafood fish paella biryani dosa kimchi tofu lamb chicken bacon avocado mango strawberries marmite peanut-butter lasagna gnocchi stew pie pies cuisine food dish meal snack pastries sourdough"
    ),
    "allergen": (
        "nuts peanuts peanut nut cashews cashew pistachios pistachio almonds walnuts hazelnuts pecans shellfish prawns shrimp crab fish eggs egg milk dairy lactose gluten wheat soy soya sesame celery mustard pollen cats cat dogs dog dust mould mold penicillin amoxicillin aspirin "
        "ibuprofen latex nickel bees wasps strawberries kiwi kiwis tomatoes mango pineapple grass birch feathers hay lupin sulphites mustard codeine hayfever shellfish mussels oysters squid lentils chickpeas coconut peaches apples bananas avocado msg alcohol ragweed horses fur"
    ),
    "hobby": (
        "running climbing bouldering yoga pilates swimming cycling hiking rowing knitting crochet crocheting pottery ceramics painting drawing sketching photography gardening baking cooking chess tennis squash badminton football soccer basketball rugby cricket golf "
        "hockey volleyball fencing boxing judo karate taekwondo bjj jiu-jitsu kickboxing surfing skiing snowboarding skating skateboarding sailing kayaking canoeing diving scuba freediving fishing birdwatching birding astronomy woodworking carpentry sewing embroidery quilting calligraphy origami meditation "
        "dancing salsa tango ballet ballroom bachata swing improv acting singing guitar piano violin cello drums ukulele bass saxophone banjo dnd gaming boardgames blogging podcasting journaling writing poetry reading geocaching archery horse-riding riding parkour triathlon triathlons marathons gymnastics weightlifting powerlifting crossfit "
        "spinning zumba padel pickleball darts snooker bowling ultimate-frisbee orienteering trail-running beekeeping brewing homebrewing foraging genealogy coding programming smoking vaping drinking netball lacrosse curling handball windsurfing kitesurfing paddleboarding caving woodcarving whittling printmaking leatherwork stargazing volunteering shinty hurling camogie karaoke sudoku crosswords crossword parkrun macrame upcycling birdsong kendo aikido tai-chi taichi capoeira wrestling rollerblading skydiving paragliding gliding metal-detecting mahjong backgammon cribbage whist canasta dominoes bridge juggling cosplay larping bellringing bell-ringing line-dancing morris-dancing wild-swimming open-water-swimming dressmaking candle-making soapmaking beadwork lacemaking darkroom vlogging"
    ),
    "substance": "drink booze fags cigs weed beer wine smoking vaping drinking alcohol caffeine meat sugar cigarettes booze coffee gambling",
    "nationality": "british american german french irish italian spanish dutch swedish norwegian danish finnish polish russian ukrainian chinese japanese korean indian mexican canadian australian brazilian turkish greek welsh scottish english swiss austrian belgian portuguese nigerian kenyan ghanaian egyptian moroccan iranian pakistani bangladeshi vietnamese thai filipino argentinian chilean colombian catholic muslim jewish buddhist hindu christian atheist gay lesbian trans bi queer straight",
    "event": "call queue line zoom game session discussion fight waitlist chat conversation lesson match debate protest march strike boycott "
    "marathon race 10k 5k trip newsletter webinar conference competition tournament triathlon fundraiser party festival workshop hackathon walk challenge meeting event half-marathon ultramarathon",
    "area": "billing payments payroll search onboarding support ops infra infrastructure hiring recruiting docs analytics reporting security backend frontend qa releases compliance procurement logistics scheduling rota newsletter invoicing checkout signup payouts pricing outreach",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    "document": "passport visa licence license permit citizenship",
}

_CITIES = """
oslo bergen trondheim stockholm gothenburg malmö malmo lund uppsala copenhagen aarhus odense helsinki tampere turku reykjavik london leeds york manchester liverpool bristol bath birmingham sheffield nottingham leicester newcastle sunderland durham bradford
oxford cambridge brighton hove margate southampton portsmouth plymouth exeter cardiff swansea edinburgh glasgow aberdeen dundee inverness belfast derry dublin cork galway limerick wexford norwich ipswich reading hackney peckham brixton camden croydon islington frome hull
coventry derby stoke wolverhampton cheltenham gloucester bournemouth paris lyon marseille toulouse bordeaux nantes lille strasbourg nice rennes grenoble montpellier brussels antwerp ghent bruges leuven liège liege amsterdam rotterdam utrecht eindhoven groningen delft leiden
maastricht nijmegen haarlem berlin munich hamburg cologne frankfurt stuttgart düsseldorf dusseldorf leipzig dresden bremen hanover nuremberg freiburg heidelberg mannheim bonn münster munster vienna graz linz salzburg innsbruck zurich zürich geneva basel bern lausanne
lucerne madrid barcelona valencia seville bilbao granada málaga malaga zaragoza lisbon porto braga coimbra faro rome milan turin torino naples florence bologna venice verona genoa palermo catania bari trieste athens thessaloniki istanbul ankara izmir warsaw krakow kraków
gdansk gdańsk wroclaw wrocław poznan lodz prague brno bratislava budapest bucharest cluj sofia belgrade zagreb split ljubljana sarajevo skopje tirana tallinn tartu riga vilnius kyiv lviv odesa moscow minsk tbilisi yerevan baku boston chicago denver seattle portland austin
atlanta miami dallas houston philadelphia phoenix detroit minneapolis nashville memphis charlotte raleigh baltimore washington pittsburgh cleveland columbus cincinnati indianapolis milwaukee madison oakland sacramento tucson albuquerque omaha tampa orlando jacksonville
richmond providence hartford buffalo rochester albany brooklyn queens bronx manhattan boise spokane tacoma anchorage honolulu reno vegas toronto montreal montréal vancouver ottawa calgary edmonton winnipeg quebec halifax victoria guadalajara monterrey oaxaca tijuana lima
bogota bogotá medellin medellín cali quito caracas santiago valparaiso valparaíso montevideo rosario cordoba córdoba brasilia curitiba recife salvador havana kingston nairobi mombasa lagos abuja ibadan accra kumasi dakar kampala kigali addis johannesburg durban pretoria
cairo alexandria casablanca marrakesh rabat tunis algiers beirut amman jerusalem haifa tehran isfahan dubai doha riyadh jeddah kuwait muscat karachi lahore islamabad delhi mumbai bombay bangalore bengaluru chennai kolkata hyderabad pune jaipur ahmedabad kochi goa dhaka
colombo kathmandu bangkok hanoi saigon phnom singapore jakarta bandung bali manila cebu taipei seoul busan incheon tokyo osaka kyoto kobe nagoya sapporo fukuoka hiroshima beijing shanghai shenzhen guangzhou chengdu wuhan hangzhou nanjing sydney melbourne brisbane perth
adelaide canberra hobart darwin auckland wellington christchurch dunedin
norway sweden denmark finland iceland england scotland wales ireland britain france belgium netherlands holland luxembourg germany austria switzerland spain portugal italy greece turkey poland czechia slovakia hungary romania bulgaria serbia croatia slovenia bosnia
albania estonia latvia lithuania ukraine russia belarus georgia armenia azerbaijan usa uk eu canada mexico guatemala honduras nicaragua panama cuba jamaica haiti colombia venezuela ecuador peru bolivia chile argentina uruguay paraguay brazil nigeria ghana kenya uganda
tanzania rwanda ethiopia senegal mali cameroon angola zambia zimbabwe botswana namibia mozambique madagascar morocco algeria tunisia libya egypt sudan israel palestine lebanon syria jordan iraq iran qatar bahrain oman yemen pakistan india bangladesh nepal bhutan thailand
vietnam cambodia laos myanmar malaysia indonesia philippines taiwan japan korea china mongolia australia zealand fiji samoa europe asia africa america california texas florida oregon colorado nevada arizona utah montana idaho wyoming vermont maine massachusetts
connecticut maryland virginia carolina tennessee kentucky ohio indiana illinois michigan wisconsin minnesota iowa missouri kansas nebraska oklahoma arkansas louisiana alabama mississippi alaska hawaii ontario alberta bavaria saxony catalonia andalusia tuscany sicily
sardinia brittany normandy provence cornwall devon kent essex sussex yorkshire lancashire cumbria dorset somerset norfolk suffolk surrey wiltshire kerry donegal mayo queensland tasmania
"""
_TWO_WORD_CITIES = (
    "new york|los angeles|san francisco|san diego|las vegas|new orleans|salt lake|san jose|san antonio|kansas city|st louis|hong kong|tel aviv|buenos aires|rio de janeiro|"
    "são paulo|sao paulo|mexico city|cape town|kuala lumpur|ho chi minh|new delhi|the hague|den haag|st andrews|milton keynes|new zealand|south africa|costa rica|north carolina|south carolina|"
    "sri lanka|new jersey|new mexico|saudi arabia|united states|united kingdom|puerto rico|el salvador|south korea|isle of|east london|north london|south london|west london"
)
CITIES = frozenset(_CITIES.split()) | TOWNS

KIN: dict[str, str] = {
    **dict.fromkeys("mammy wifey mother mum mom mam mama mummy ma grandmother grandma gran granny nan nana aunt auntie aunty sister sis daughter niece wife girlfriend fiancée mother-in-law sister-in-law daughter-in-law stepmum stepmom stepmother stepsister stepdaughter granddaughter girl missus gf ex-wife ex-girlfriend godmother goddaughter".split(), "f"),
    **dict.fromkeys("fella hubs father dad papa daddy pa grandfather grandpa grandad granddad uncle brother bro son nephew husband boyfriend father-in-law brother-in-law son-in-law stepdad stepfather stepbrother stepson grandson boy hubby bf ex-husband ex-boyfriend godfather godson".split(), "m"),
    **dict.fromkeys("eldest youngest oldest firstborn bairn wean parent child kid sibling cousin partner spouse fiancé fiance friend mate bestie buddy pal boss manager supervisor colleague coworker co-worker neighbour neighbor roommate flatmate housemate twin baby toddler teammate mentor therapist dentist doctor gp landlord landlady teacher trainer coach ex in-law relative grandparent grandchild godparent godchild student assistant client".split(), "n"),
}  # fmt: skip
"""Words for people by relation, with the pronoun that fits: she, he, or either."""

KIN_ATTRIBUTES: dict[str, str] = {
    **dict.fromkeys("sister brother sibling twin stepsister stepbrother half-sister half-brother".split(), "siblings"),
    **dict.fromkeys("bairn wean eldest youngest oldest firstborn son daughter child kid baby girl boy newborn stepson stepdaughter toddler".split(), "children"),
    **dict.fromkeys("wifey hubs fella wife husband partner girlfriend boyfriend fiancé fiancée fiance spouse hubby gf bf".split(), "partner"),
    **dict.fromkeys("mother mum mom father dad parent mam".split(), "parents"),
    **dict.fromkeys("boss manager supervisor".split(), "manager"),
    **dict.fromkeys("doctor gp dentist therapist".split(), "doctor"),
}  # fmt: skip
"""The attribute that a relation is a value of."""

_PLURAL_KIN = frozenset(
    "parents children kids siblings cousins friends grandparents in-laws sisters brothers sons daughters twins folks neighbours neighbors boys girls".split()
)

FEMALE = (
    frozenset(
        "mary anna anne ann emma olivia sophia sophie sara sarah laura lisa julia maria marie elena helen clara chloe grace alice amy kate katie emily hannah lucy ella mia zoe ruth rachel rebecca jane joan jessica jennifer melissa melanie caroline charlotte "
        "susan karen nancy linda barbara elizabeth eva ines priya meera aisha fatima leila layla noor yasmin jasmin nina nora ingrid astrid freya sofia lena greta heidi elsa mila petra paula malin karin sofie birgit ola maja tilda saga alma ebba ida ines eliza clara vera ada jana katja anja silke heike ulrike doris elif meera josie carla zara leah naima amina samira yara rania dina salma olga tanya natasha irina svetlana yuki sakura mei ling wei-ling hana ana carmen lucia rosa "
        "isabel isabella victoria vera daniela gabriela audrey joanna deborah maya naomi abigail ivy rosie ellie megan erin niamh aoife siobhan ciara bridget moira fiona eilidh molly holly daisy poppy lily violet hazel iris margaret peggy dorothy edith agnes agathe chiara giulia francesca bianca "
        "nele lotte hanneke marisol imogen tess nia gordana anouk britt inka sunniva effie sana zara amara chidinma ngozi adaeze beatrice martha nadia sonia monica veronica patricia sandra donna carol diane michelle angela amanda stephanie nicole kimberly heather pam tina wendy "
        "abby aileen ailsa aine aisling alana alison alyssa amelia amelie anastasia angie anita annabel annette annie antonia anushka anya audra ayesha azra beatriz becky bella beth bethany betty bev beverley bronwen bronwyn brooke camilla camille carmel "
        "carrie catherine catriona cathy cecilia celia celine chantal charlene chelsea cheryl christina christine cindy claire claudia colette connie constance cora corinne courtney daphne deb debbie deepa deepika delia denise divya dolores doreen dorothea "
        "eileen elaine eleanor elise elodie eloise elspeth emilia emmy erica erika esme esther ethel eunice evelyn faye felicity fern flora frieda gabby gail gemma georgina geraldine gertrude gillian gina ginny gloria greer gwen gwyneth harriet hattie hayley "
        "helena henrietta hilary honor ilse imelda ingeborg iona irene isabelle isla isobel jackie jacqueline jade janet janice jasmine jeanette jeannie jenny jill jodie jolene josephine joyce juanita judith judy julie juliet june karina kathleen kathryn "
        "kathy kavita kavya kayla kendra kimberley kirsten kirsty kristen kristin krystyna lakshmi lara lauren leanne leonie lillian lola loretta lorna lorraine lottie louise lucinda lydia lynn lynne mabel maddie madeleine mairi maisie mandy marcia mariana "
        "marina marjorie marlene marta martina maureen mavis maxine melinda mercedes meredith mhairi mildred millie mina minnie mirabel miriam morag muriel myra myrtle nadine nandini natalia natalie nell nellie nelly neha nicola nicolette noelle norma nuala "
        "odette olive olwen orla paige pamela pauline pearl penelope philippa phoebe phyllis pippa pooja priscilla priyanka rachael radha ramona reema rebekah renata rhiannon rhona rita roisin rosalind rosanna rosemary rowena roxanne sabrina sally samantha "
        "selma sharon sheena sheila shirley shona sian sita sinead sindhu sneha soraya stacey stella steph sunita susanna susie suzanne suzy swati sybil sylvia tamara tamsin tania tara teresa thelma theresa tilly toni tracey tracy trina trish trudy una ursula "
        "valentina valerie vanessa vicky vivian viviane winifred yolanda yvette yvonne zainab zelda zofia agnieszka katarzyna magda ewa hania ji-woo mai linh haruka akiko naoko yoko sayaka".split()
    )
    | MORE_FEMALE
)
MALE = (
    frozenset(
        "john james robert michael david william richard joseph thomas tom charles daniel dan matthew matt mark paul steven steve andrew kevin brian george edward peter pete simon ben benjamin jack harry oliver noah liam leo luke max josh joshua jacob ethan lucas adam nathan aaron dylan ryan jason justin eric kyle "
        "omar ali ahmed mohammed mohamed hassan ibrahim yusuf kiran arun ravi raj vikram arjun rohan diego carlos luis jose juan pedro miguel pablo marco luca matteo giovanni francesco antonio paolo hans klaus jürgen stefan lars erik sven olaf bjorn björn magnus nils henrik mikael jonas marek dario nils pavel karim leif gustav axel viktor anders lukas tobias florian moritz bruno fabio enzo andrea tariq bilal hamza faisal rashid sami youssef idris ravi anil vivek rahul nikhil jonas felix "
        "otto oscar hugo arthur albert frank fred henry louis marcus martin philip stuart graham neil ian gareth rhys owen sean patrick kieran conor lorcan declan ronan hamish angus callum ewan dmitri ivan sergei boris igor pavel tomasz jan piotr kenji hiroshi takeshi wei jun chen emeka kofi kwame tunde "
        "laszlo gabor haluk mehmet mustafa emre cem jules quentin pierre jean antoine theo mathieu bram rasmus kalle teemu basil ludo gary keith barry nigel colin derek roger walter ron bob bill jim joe joel greg scott todd craig doug dave mike nick tony vince victor samuel gabriel isaac elijah caleb "
        "adrian aidan ajay alan alastair alasdair alec alejandro alessandro alexander alfie alfred alistair allan alvin amit andre andreas andy anton archie archibald arnold arturo ashok barney barnaby benedict benny bernard bertie billy bjarne bobby boyd "
        "brad bradley brandon brendan bryan cameron carl carlo casper cathal cecil cedric charlie chris christian christopher christy clarence clark claude clive clyde colm connor conrad corey cormac cuthbert cyril damian damien daniele danny darragh darren "
        "darryl davey davy dean deano deepak dennis denis desmond dexter dieter dominic donal donald donnie doughal duncan dwayne dwight eamon eddie edgar edmund edvard edwin egon eli elias elliot elliott elton emil emilio enrique ernest ernie esteban eugene "
        "evan fabian federico felipe fergus ferdinand fernando finlay finn fionn fraser freddie frederick fritz ganesh gavin gene geoff geoffrey gerald gerard giles gilbert glen glenn gopal gordon grady greig gregor gregory gunnar guido gus guillermo hank "
        "hari harold haruki harun harvey hector helmut herbert herman horace howard hubert humphrey iain imran ingo irfan ishaan ivor jake jakub jamal jared jarek jarvis javier jed jeff jeffrey jeremy jerome jerry jesse jimmy joachim joaquin johan johann "
        "johnny jon jonah jonathan jordi jorge jozef julian julien julio karl karsten kasper keiran ken kenneth kenny kev killian kurt kwabena lachlan lance larry laurence lawrence len lenny leon leonard leonardo leopold leroy les lester levi lewis liang "
        "linus lionel lloyd lorenzo louie luigi luka luther lyle mac malcolm manuel manoj marcel marcelo mario marlon marty mateo mateusz matthias maurice maximilian melvin mick mickey mihai mikhail miles milo mitch mohan mohit morris moses murdo murray "
        "nathaniel neville nicholas nicolas niklas nikolai norbert norman oisin oleg olly osman oswald pascal patrik percy perry petr phil pierce piers prakash pradeep raghav rajesh rakesh ralph ramesh ramon randy raphael rasheed raul raymond reece reggie "
        "reginald reuben rex ricardo richie rick ricky robbie roberto rodney rodrigo roland rolf roman romeo ronnie rory ross roy rudi rudy rufus rupert russ russell sal sandeep sanjay santi saul sebastian seamus sergio seth shane shaun sid sidney silas "
        "simeon spencer stan stanley stefano stephen stevie stewart stu suresh sunil sylvester tadeusz taran teddy terence terry thaddeus theodore thibault tim timothy timo toby tommy torsten travis trevor tristan troels tyler tyrone uwe vasil vern vernon "
        "vijay vincenzo vishal vlad vladimir wallace warren wayne wesley wilbur wilf wilfred wilhelm willie winston wojciech xavier yannick yves zac zach zachary zak zbigniew krzysztof bartek maciej haru kenta daichi satoshi akira minh".split()
    )
    | MORE_MALE
)


@lru_cache(maxsize=8192)
def kinds_of_word(word: str) -> frozenset[str]:
    """The kinds of one lower-case word, by itself or by its singular."""
    found = _INDEX.get(word) or _INDEX.get(singular(word))
    if found:
        return found
    if "-" in word:
        return kinds_of_word(word.rsplit("-", 1)[1])
    return frozenset()


_ROLE_ENDINGS = (
    "ologist",
    "ographer",
    "smith",
    "keeper",
    "iatrist",
    "maker",
    "wright",
    "therapist",
    "tician",
    "nician",
)
_WOMEN = frozenset(
    "woman gentlewoman noblewoman madwoman kinswoman countrywoman superwoman cavewoman horsewoman sportswoman englishwoman irishwoman scotswoman welshwoman frenchwoman dutchwoman".split()
)
"""What ends in "-woman" and is no occupation, as "postwoman" is."""


def is_role(word: str) -> bool:
    """Whether a lower-case noun names an occupation: listed, or built like one ("-ologist", "-smith", "-woman")."""
    if word.endswith("woman") and word not in _WOMEN:
        return True
    return "role" in kinds_of_word(word) or word.endswith(_ROLE_ENDINGS)


def kinds_of(words: Sequence[str], capital: Sequence[bool]) -> frozenset[str]:
    """The kinds of a noun phrase given as lower-case words: those of its head (the last word), of names in it, and ``name``.

    ``capital`` tells which words are written with a capital letter.
    """
    if not words:
        return frozenset()
    bare = [(w, c) for w, c in zip(words, capital, strict=True) if not w[0].isdigit()] or [(words[-1], capital[-1])]
    if ("of", False) in bare[1:]:
        bare = bare[: bare.index(("of", False), 1)]  # "head of sales" is a head
    while len(bare) > 1 and bare[-1][0] in _TRANSPARENT:
        bare.pop()
    head, head_capital = bare[-1]
    found = set(kinds_of_word(head))
    if head in _AMBIGUOUS and not head_capital:
        found -= _AMBIGUOUS_KINDS
    if is_role(head):
        found.add("role")
    for word, is_capital in bare[:-1]:
        # A name tells by any of its words, "our cat Miso" by the word before the name.
        found |= kinds_of_word(word) & (_BY_NAME if is_capital else {"baby", "pet"} if head_capital else {"baby"})
    phrase = " ".join(words)
    branch = any(c and w not in CITIES and w not in _DIRECTIONS for w, c in bare[:-1])  # "Greenpeace Hamburg"
    if (head in CITIES and not branch) or any(city in phrase for city in _TWO_WORD_CITIES_SET):
        found.add("place")
    if head in _TRANSPARENT_ALLERGY or words[-1] in _TRANSPARENT_ALLERGY:
        found.add("allergic")
    if words[-1] in ("plan", "tariff", "package") and len(words) > 1 and any(capital):
        found.add("provider")  # "the Family plan"
    if head == "studio" and any(word in _WORKOUTS for word in words):
        found = {"gym"}
    if words[0].rstrip(".") in ("dr", "doctor") and len(words) > 1:
        found = {"doctor"}
    if any(capital):
        found.add("name")
    if len(words) == 1 and head_capital and (head in FEMALE or head in MALE):
        found.add("firstname")
    if head in KIN or head in _PLURAL_KIN:
        found.add("kin")
    return frozenset(found)


def gender(name: str) -> str:
    """``f``, ``m`` or ``n`` (not known) for a first name or a kinship word."""
    low = name.lower().split(" ")[0] if name else ""
    last = name.lower().split(" ")[-1] if name else ""
    if last in KIN:
        return KIN[last]
    return "f" if low in FEMALE else "m" if low in MALE else "n"


def is_kin(word: str) -> bool:
    """Whether a lower-case word names a person by a relation ("sister", "boss")."""
    return word in KIN or word in _PLURAL_KIN


def is_plural_kin(word: str) -> bool:
    """Whether it names several ("parents")."""
    return word in _PLURAL_KIN


def _index() -> dict[str, frozenset[str]]:
    index: dict[str, set[str]] = {}
    for kind, words in KINDS.items():
        for word in words.split():
            index.setdefault(word, set()).add(kind)
    return {word: frozenset(kinds) for word, kinds in index.items()}


_INDEX = _index()
_TWO_WORD_CITIES_SET = frozenset([*_TWO_WORD_CITIES.split("|"), *TWO_WORD_TOWNS])
_TRANSPARENT_ALLERGY = frozenset(["intolerant", "allergic"])
# Heads that say less than the word before them: "the keto phase", "Crohn disease", "my Ironworks membership".
_TRANSPARENT = frozenset(
    "thing things diet lifestyle membership subscription disease syndrome disorder plan kick phase account stuff diagnosis allergy intolerance intolerant classes class lessons".split()
)
_WORKOUTS = frozenset("yoga pilates fitness barre spin spinning boxing crossfit".split())
_DIRECTIONS = frozenset(
    "north south east west central upper lower greater new old port saint st san santa los las el le la fort mount".split()
)
# Kinds that any word of a name can tell ("Toyota Corolla Hybrid", "Nokia G42"); for the others only the head counts.
_BY_NAME = frozenset({"car", "baby", "phone", "computer", "console", "gym", "school", "pet"})
_AMBIGUOUS_KINDS = frozenset({"car", "phone", "console"})
_AMBIGUOUS = frozenset(
    "golf polo focus seat mini swift leaf up ka boxer puma escape explorer ranger discovery defender cooper accord jazz panda duster juke superb beetle transit outback forester corsa leon caddy zoe switch flip".split()
)
