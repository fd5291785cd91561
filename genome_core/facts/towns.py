"""Towns that people live in and that no list of big cities has. Left out are those that are an ordinary English word or a first name."""

from __future__ import annotations

_TOWNS = """
stirling perth ayr paisley falkirk kilmarnock dunfermline kirkcaldy oban elgin greenock livingston motherwell hamilton dumfries lerwick stornoway kirkwall thurso aviemore pitlochry
aberystwyth wrexham bangor llandudno llanelli newport barry caernarfon carmarthen tenby pembroke merthyr pontypridd conwy brecon
derry londonderry lisburn newry armagh omagh enniskillen bangor sligo ennis tralee killarney athlone drogheda dundalk kilkenny letterkenny tullamore mallow cobh wexford clonmel naas navan bray longford ballina westport castlebar templemore tramore
carlisle kendal penrith keswick maryport whitehaven workington barrow lancaster morecambe blackpool preston blackburn burnley accrington rochdale oldham stockport bolton salford wigan warrington macclesfield crewe altrincham
harrogate halifax huddersfield wakefield barnsley doncaster rotherham scarborough whitby bridlington beverley ripon skipton ilkley otley hebden middlesbrough darlington hartlepool gateshead hexham morpeth alnwick
chesterfield matlock buxton mansfield worksop lincoln grimsby scunthorpe grantham boston skegness kettering corby northampton wellingborough rugby leamington warwick stratford redditch worcester malvern hereford shrewsbury telford ludlow stafford cannock tamworth walsall dudley solihull digbeth moseley edgbaston
peterborough huntingdon ely norwich yarmouth lowestoft felixstowe colchester chelmsford southend clacton harwich braintree bedford luton dunstable watford hertford hitchin letchworth stevenage hatfield aylesbury banbury bicester abingdon didcot swindon cirencester stroud tewkesbury
maidstone canterbury folkestone dover ramsgate broadstairs whitstable faversham gillingham rochester dartford gravesend tonbridge tunbridge sevenoaks ashford hastings eastbourne lewes worthing shoreham chichester bognor littlehampton crawley horsham slough reading maidenhead windsor guildford woking farnham aldershot basingstoke winchester andover salisbury trowbridge
bournemouth poole weymouth dorchester yeovil taunton bridgwater glastonbury minehead barnstaple bideford torquay paignton exmouth tavistock truro falmouth penzance newquay bodmin bude
tooting balham clapham streatham dulwich lewisham deptford greenwich woolwich eltham bromley sutton kingston richmond twickenham hounslow ealing acton hammersmith fulham chiswick islington hackney tottenham walthamstow leyton stratford ilford romford barking enfield finchley hendon harrow wembley
roskilde esbjerg aalborg randers vejle kolding horsens helsingør stavanger tromsø tromso ålesund alesund kristiansand drammen bodø bodo fredrikstad haugesund narvik malmö västerås vasteras örebro orebro linköping norrköping helsingborg umeå umea luleå kiruna espoo vantaa oulu jyväskylä kuopio lahti rovaniemi akureyri
kiel lübeck lubeck rostock schwerin oldenburg osnabrück bielefeld paderborn dortmund essen bochum duisburg wuppertal krefeld aachen koblenz trier mainz wiesbaden darmstadt kassel göttingen gottingen braunschweig wolfsburg magdeburg halle jena erfurt weimar chemnitz potsdam cottbus würzburg wurzburg bamberg bayreuth regensburg passau augsburg ulm konstanz karlsruhe saarbrücken tübingen tubingen neukölln neukolln kreuzberg wedding
klagenfurt villach bregenz dornbirn lugano winterthur biel thun fribourg neuchâtel neuchatel zug chur sion montreux
breda tilburg arnhem apeldoorn zwolle deventer enschede almere hilversum amersfoort leeuwarden alkmaar zaandam gouda dordrecht middelburg mechelen hasselt ostend namur charleroi mons kortrijk
reims metz nancy dijon angers tours orléans orleans rouen caen brest quimper lorient poitiers limoges clermont-ferrand annecy chambéry avignon nîmes nimes arles aix-en-provence toulon cannes antibes perpignan pau biarritz bayonne
alicante murcia cartagena almería almeria cádiz cadiz huelva badajoz salamanca valladolid burgos pamplona logroño santander gijón gijon oviedo vigo pontevedra tarragona girona lleida palma ibiza tenerife
setúbal setubal évora evora aveiro viseu funchal sintra cascais
bergamo brescia parma modena ferrara rimini ravenna pisa siena lucca livorno perugia ancona pescara salerno lecce cagliari sassari messina udine padua padova vicenza
patras heraklion chania larissa volos corfu rhodes limassol nicosia larnaca valletta
lublin katowice gdynia sopot szczecin bydgoszcz toruń torun rzeszów rzeszow białystok bialystok olsztyn opole ostrava plzeň pilsen olomouc liberec košice kosice debrecen szeged pécs pecs timișoara timisoara iași iasi brașov brasov constanța constanta plovdiv varna burgas rijeka osijek zadar maribor mostar podgorica novi-sad kaunas klaipėda klaipeda daugavpils pärnu parnu
adana antalya bursa konya eskişehir eskisehir gaziantep trabzon bodrum
worcester springfield lowell stamford bridgeport burlington montpelier concord nashua bangor syracuse ithaca utica poughkeepsie yonkers newark hoboken trenton camden allentown scranton harrisburg erie wilmington annapolis norfolk roanoke charlottesville asheville durham greensboro wilmington charleston greenville savannah macon augusta athens knoxville chattanooga birmingham montgomery huntsville mobile tallahassee gainesville sarasota naples pensacola
lexington louisville dayton akron toledo flint lansing kalamazoo evansville bloomington peoria naperville rockford duluth wichita topeka lawrence lincoln tulsa norman lubbock amarillo midland waco galveston corpus laredo plano arlington boulder pueblo cheyenne laramie billings missoula bozeman helena fargo bismarck sioux provo ogden tempe scottsdale mesa flagstaff fresno bakersfield stockton modesto berkeley pasadena burbank anaheim irvine riverside eugene salem bend olympia bellingham yakima juneau fairbanks branson chapel-hill
saskatoon regina hamilton kitchener guelph kingston sudbury windsor moncton fredericton charlottetown kelowna nanaimo whistler
geelong ballarat bendigo newcastle wollongong cairns townsville toowoomba fremantle launceston hobart tauranga rotorua nelson queenstown invercargill napier hamilton
mysore nagpur indore bhopal lucknow kanpur patna ranchi surat vadodara rajkot nashik thane coimbatore madurai trichy vizag vijayawada guwahati shillong chandigarh ludhiana amritsar dehradun shimla noida gurgaon gurugram ghaziabad faridabad agra varanasi
daegu daejeon gwangju suwon sendai kawasaki yokohama kanazawa nara kumamoto naha kaohsiung taichung tainan penang ipoh johor yogyakarta surabaya chiang-mai phuket danang davao
"""
_ORDINARY = frozenset(
    "reading santander savannah mobile bend sion naples rugby barry nelson regina lawrence norman helena stratford wedding essen halle tours nancy norfolk stockton salem concord mesa pau mons hamilton newport warwick lincoln windsor barking acton sutton bray naas boston zug chur "
    "burgos corpus sioux augusta athens montgomery florence camden durham".split()
)
"""Names in the list above that are more often something else."""
TOWNS = frozenset(_TOWNS.split()) - _ORDINARY
TWO_WORD_TOWNS = (
    "kings heath",
    "milton keynes",
    "king's lynn",
    "tunbridge wells",
    "bury st edmunds",
    "weston super mare",
    "novi sad",
    "corpus christi",
    "santa fe",
    "santa cruz",
    "santa monica",
    "san luis",
    "long beach",
    "palm springs",
    "fort worth",
    "fort collins",
    "ann arbor",
    "grand rapids",
    "green bay",
    "des moines",
    "sioux falls",
    "baton rouge",
    "little rock",
    "el paso",
    "cedar rapids",
    "staten island",
    "chiang mai",
    "alice springs",
    "gold coast",
    "palmerston north",
    "st albans",
    "st ives",
    "st helens",
)
